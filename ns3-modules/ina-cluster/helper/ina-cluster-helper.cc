/* SPDX-License-Identifier: GPL-2.0-only */
#include "ina-cluster-helper.h"

#include "hw/cluster/spec.hpp"
#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/ina-ecn-marker.h"
#include "ns3/ina-link-faults.h"
#include "ns3/ina-system-of.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/uinteger.h"
#include "scenarios/reader/job_roots.hpp"
#include "scenarios/reader/link_names.hpp"
#include "scenarios/reader/scenario_sizes.hpp"
#include "scenarios/reader/topologies.hpp"
#include "scenarios/reader/traffic_reader.hpp"
#include "scenarios/reader/unloaded_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ns3
{

using namespace ina::scenarios;

using ina::cluster::SwitchIndex;
using ina::cluster::TrunkIndex;

namespace
{

constexpr std::size_t DIGEST_VALUES = 2; // 64 bits

Time
Picoseconds(int64_t ps)
{
    return TimeStep(static_cast<uint64_t>(ps));
}

Ptr<InaLinkFaults>
MakeLinkFaults(const LinkFaultsScenario& scenario)
{
    const auto faults = CreateObject<InaLinkFaults>();
    faults->SetAttribute("Classes", UintegerValue(scenario.frames));
    faults->SetAttribute("From", TimeValue(Picoseconds(scenario.from_ps)));
    faults->SetAttribute("Until", TimeValue(Picoseconds(scenario.until_ps)));
    faults->SetLostFrames(scenario.lost_frames);
    faults->SetAttribute("Loss", DoubleValue(scenario.loss));
    faults->SetAttribute("BurstStart", DoubleValue(scenario.burst.start));
    faults->SetAttribute("BurstEnd", DoubleValue(scenario.burst.end));
    faults->SetAttribute("BurstMeanDuration",
                         TimeValue(Picoseconds(scenario.burst.mean_duration_ps)));
    faults->SetAttribute("BurstLoss", DoubleValue(scenario.burst.loss));
    faults->SetAttribute("Corruption", DoubleValue(scenario.corruption));
    faults->SetAttribute("Duplication", DoubleValue(scenario.duplication));
    faults->SetAttribute("Reordering", DoubleValue(scenario.reordering));
    faults->SetAttribute("ReorderingDelay", TimeValue(Picoseconds(scenario.reordering_delay_ps)));
    return faults;
}

std::map<std::size_t, InaTraffic::OnOff>
OnOffsOf(const TrafficScenario& scenario)
{
    std::map<std::size_t, InaTraffic::OnOff> all;
    for (std::size_t at = 0; at < scenario.flows.size(); ++at)
    {
        const FlowsScenario& flows = scenario.flows[at];
        if (flows.kind == PatternKind::on_off)
        {
            all[at] = {.rate = DataRate(flows.rate_bps),
                       .on = Picoseconds(flows.on_ps),
                       .off = Picoseconds(flows.off_ps),
                       .packetBytes = flows.packet_bytes};
        }
    }
    return all;
}

} // namespace

InaClusterHelper::InaClusterHelper(const Scenario& scenario) :
    m_scenario(scenario),
    m_links(scenario.topology),
    m_system(CreateInaSystem(m_scenario.systems, m_scenario.system, environment_of(m_scenario))),
    m_trafficMachines(traffic_machines(scenario))
{
}

InaCluster
InaClusterHelper::Build()
{
    CheckPlaces();
    m_cluster.pool = std::make_unique<ina::ValuePool>(CarriedValues());
    m_cluster.table = std::make_unique<ina::numeric::SyntheticTable>();
    m_places = places_of(m_scenario);
    m_cluster.topology = placed_topology(m_scenario, m_places);
    BuildSwitches();
    BuildHosts();
    ShareHosts();
    BuildTrunks();
    AddControlPlane();
    const auto streamOf = [this](std::size_t job)
    { return static_cast<int64_t>(first_random_stream(m_scenario, job)); };
    for (std::size_t job = 0; job < m_scenario.jobs.size(); ++job)
    {
        AddJob(static_cast<ina::JobId>(job));
        m_cluster.jobs.back()->AssignStreams(streamOf(job));
    }
    AddFaults(streamOf(m_scenario.jobs.size()));
    m_cluster.control->Plan(m_scenario.faults.nodes);
    AddTraffic();
    return std::move(m_cluster);
}

/// `stream`: the first one that is free. The jobs' come before, so that faults do not change them.
void
InaClusterHelper::AddFaults(int64_t stream)
{
    for (const LinkFaultsScenario& scenario : m_scenario.faults.links)
    {
        for (const InaClusterLink& link : m_cluster.links)
        {
            if (!link_matches(scenario.link, link.name))
            {
                continue;
            }
            for (const auto& [device, other] : {std::pair(link.host, FaultDirection::from_switch),
                                                std::pair(link.port, FaultDirection::to_switch)})
            {
                if (scenario.direction != other)
                {
                    const auto faults = MakeLinkFaults(scenario);
                    stream += faults->AssignStreams(stream);
                    device->AddFaults(faults);
                }
            }
        }
    }
    AddFailures(stream);
}

/// Of links for good: what is on one is lost, and all that leaves later.
void
InaClusterHelper::AddFailures(int64_t stream)
{
    for (const NodeFaultScenario& fault : m_scenario.faults.nodes)
    {
        for (const InaClusterLink& link : m_cluster.links)
        {
            if (fault.fault != ina::faults::NodeFault::link_fails || fault.link != link.name)
            {
                continue;
            }
            const int64_t delay = DynamicCast<InaChannel>(link.host->GetChannel())->DelaySteps();
            LinkFaultsScenario failure;
            failure.from_ps = std::max<int64_t>(0, fault.at_ps - delay);
            failure.loss = 1;
            for (const Ptr<InaNetDevice>& device : {link.host, link.port})
            {
                const auto faults = MakeLinkFaults(failure);
                stream += faults->AssignStreams(stream);
                device->AddFaults(faults);
            }
        }
    }
}

/// The reader of scenario files checks this and more; here for scenarios that were filled in by a
/// program.
void
InaClusterHelper::CheckPlaces() const
{
    uint64_t workers = 0;
    for (std::size_t number = 0; number < m_scenario.jobs.size(); ++number)
    {
        CheckPlaces(number);
        const JobScenario& job = m_scenario.jobs[number];
        workers += job.hosts ? 0 : job.workers;
        NS_ABORT_MSG_IF(job.workers == 0 || job.workers > ina::wire::kMaxWorkers,
                        "a job has 1 to " << ina::wire::kMaxWorkers << " workers");
        NS_ABORT_MSG_IF(job.profile.layers.empty(), "a job needs a model with layers");
    }
    NS_ABORT_MSG_IF(workers > unnamed_hosts(m_scenario).size(), "more workers than hosts");
}

/// Of the hosts and the servers that it names, or the server that it has by its number.
void
InaClusterHelper::CheckPlaces(std::size_t number) const
{
    const JobScenario& job = m_scenario.jobs[number];
    const TopologyScenario& topology = m_scenario.topology;
    for (const uint32_t host : job.hosts.value_or(std::vector<uint32_t>()))
    {
        NS_ABORT_MSG_IF(host >= host_count(topology), "no host " << host);
    }
    NS_ABORT_MSG_IF(job.hosts && job.hosts->size() != job.workers, "a worker has one host");
    NS_ABORT_MSG_IF(job.servers.size() > ina::wire::kMaxServers,
                    "a job has at most " << ina::wire::kMaxServers << " parameter servers");
    for (const std::string& server : job.servers)
    {
        NS_ABORT_MSG_IF(!find_machine(topology, server), "no " << server);
    }
    NS_ABORT_MSG_IF(m_scenario.hosts().traits().has_servers && job.servers.empty() &&
                        number >= topology.parameter_servers,
                    "more jobs than parameter servers");
}

/// That of the servers first, for their order decides which of two events at one time comes first.
void
InaClusterHelper::BuildSwitches()
{
    const Ptr<InaSwitch> ofServers = MakeSwitch();
    const std::size_t count = m_cluster.topology.switches.size();
    const ina::wire::PathChoice choice = ControlConfig().path_choice;
    for (std::size_t at = 0; at < count; ++at)
    {
        const bool isOfServers = at == m_cluster.topology.of_servers();
        m_cluster.switches.push_back(isOfServers ? ofServers : MakeSwitch());
        m_cluster.switches[at]->SetPathChoice(choice, m_cluster.topology.switches[at].height);
    }
}

Ptr<InaSwitch>
InaClusterHelper::MakeSwitch()
{
    const Ptr<Node> node = CreateObject<Node>();
    m_cluster.nodes.Add(node);
    const SwitchScenario& config = m_scenario.switch_;
    const auto fabric = CreateObject<InaSwitch>();
    fabric->SetAttribute("BufferSize", UintegerValue(config.buffer_bytes));
    fabric->SetAttribute("EcnThreshold", UintegerValue(config.ecn_threshold_bytes));
    fabric->SetAttribute("PipelineLatency", TimeValue(Picoseconds(config.pipeline_latency_ps)));
    fabric->SetAttribute("PassLatency", TimeValue(Picoseconds(config.pass_latency_ps)));
    fabric->SetAttribute("ResubmitBandwidth",
                         DataRateValue(DataRate(config.resubmit_bandwidth_bps)));
    fabric->SetAttribute("ChargePasses", BooleanValue(config.charge_passes));
    fabric->SetAttribute("RecirculateBandwidth",
                         DataRateValue(DataRate(config.recirculate_bandwidth_bps)));
    node->AggregateObject(fabric);
    return fabric;
}

void
InaClusterHelper::BuildHosts()
{
    const uint32_t hosts = host_count(m_scenario.topology);
    for (uint32_t host = 0; host < hosts; ++host)
    {
        AddHost(host_link_name(m_scenario.topology, host), static_cast<ina::HostId>(host));
    }
    for (uint32_t server = 0; server < m_scenario.topology.parameter_servers; ++server)
    {
        AddHost(server_link_name(server), static_cast<ina::HostId>(hosts + server));
    }
}

void
InaClusterHelper::AddHost(const std::string& name, ina::HostId id)
{
    const Ptr<Node> host = CreateObject<Node>();
    m_cluster.nodes.Add(host);
    const SwitchIndex above = m_cluster.topology.switch_of[id];
    const bool sends = std::ranges::binary_search(m_trafficMachines, uint32_t{id});
    const InaClusterLink link = Connect(name, name, host, above, m_links.hosts[id], sends);
    m_cluster.switches[above]->AddPort(link.port, id);
}

/// Those beside whoever came first have addresses behind all machines.
void
InaClusterHelper::ShareHosts()
{
    for (std::size_t address = m_cluster.links.size(); address < m_places.machine_of.size();
         ++address)
    {
        const uint32_t machine = m_places.machine_of[address];
        InaSwitch& above = *m_cluster.switches[m_cluster.topology.switch_of[address]];
        above.SetRoutes({static_cast<ina::HostId>(address)},
                        {above.PortTo(static_cast<ina::HostId>(machine))});
        Ptr<InaHostInterface>& interface = m_interfaces[machine];
        if (!interface)
        {
            interface = Create<InaHostInterface>(m_cluster.links[machine].host);
        }
    }
}

void
InaClusterHelper::BuildTrunks()
{
    const auto& topology = m_cluster.topology;
    const std::vector<std::string> names = trunk_names(m_scenario.topology, topology);
    m_trunkPorts.resize(topology.switches.size());
    for (TrunkIndex index = 0; index < topology.trunks.size(); ++index)
    {
        const auto& trunk = topology.trunks[index];
        const InaClusterLink link = Connect(names[index],
                                            topology.switches[trunk.lower].name,
                                            m_cluster.switches[trunk.lower]->GetObject<Node>(),
                                            trunk.upper,
                                            m_links.trunks[index],
                                            !m_trafficMachines.empty());
        m_trunkPorts[trunk.upper][index] = m_cluster.switches[trunk.upper]->AddTrunk(link.port);
        m_trunkPorts[trunk.lower][index] = m_cluster.switches[trunk.lower]->AddTrunk(link.host);
    }
}

/// A link up to a switch.
InaClusterLink
InaClusterHelper::Connect(const std::string& name,
                          const std::string& below,
                          const Ptr<Node>& node,
                          SwitchIndex above,
                          const ClusterLink& link,
                          bool carriesPackets)
{
    const auto channel = CreateObject<InaChannel>();
    channel->SetAttribute("Delay", TimeValue(Picoseconds(link.line.delay_ps)));
    const auto addDevice = [&](const Ptr<Node>& end)
    {
        const auto device = CreateObject<InaNetDevice>();
        device->SetAttribute("DataRate", DataRateValue(DataRate(link.line.rate_bps)));
        device->SetAttribute("FramingBytes", UintegerValue(link.line.framing_bytes));
        device->SetAttribute("Packets", BooleanValue(carriesPackets));
        device->SetAddress(Mac48Address::Allocate());
        end->AddDevice(device);
        device->Attach(channel);
        return device;
    };
    const auto host = addDevice(node);
    host->SetAttribute("PacketsPerSecond", UintegerValue(link.packets_per_second.value_or(0)));
    const auto port = addDevice(m_cluster.switches[above]->GetObject<Node>());
    m_cluster.links.push_back({name, below, m_cluster.topology.switches[above].name, host, port});
    return m_cluster.links.back();
}

ina::cluster::ControlPlane::Config
InaClusterHelper::ControlConfig() const
{
    return ina::cluster::control_of(m_scenario.hosts(),
                                    m_cluster.topology,
                                    root_choice(m_scenario, m_cluster.topology),
                                    m_scenario.seed);
}

void
InaClusterHelper::AddControlPlane()
{
    InaControlPlane::Setup setup;
    setup.system = m_system;
    setup.control = ControlConfig();
    setup.switches = m_cluster.switches;
    setup.trunkPorts = m_trunkPorts;
    setup.linkNames = link_names(m_scenario.topology, m_cluster.topology);
    setup.pool = m_cluster.pool.get();
    setup.jobs = static_cast<uint32_t>(m_scenario.jobs.size());
    setup.carriedValues = CarriedValues();
    setup.gradientSeed = gradient_seed(m_scenario, 0);
    m_cluster.control = CreateObject<InaControlPlane>();
    m_cluster.control->Configure(setup);
}

void
InaClusterHelper::AddApplication(const Ptr<InaHostApplication>& application, ina::HostId address)
{
    HostAt(address).device->GetNode()->AddApplication(application);
    const auto interface = m_interfaces.find(m_places.machine_of[address]);
    if (interface != m_interfaces.end())
    {
        application->Share(interface->second, address);
    }
}

void
InaClusterHelper::AddJob(ina::JobId id)
{
    const Ptr<InaTrainingJob> job = MakeJob(id);
    m_cluster.jobs.push_back(job);
    std::vector<InaControlPlane::Host> hosts;
    uint16_t rank = 0;
    for (const ina::HostId host : m_places.workers[id])
    {
        hosts.push_back(HostAt(host));
        const auto application = CreateObject<InaWorkerApplication>();
        AddApplication(application, host);
        job->Worker(rank++).Install(application);
    }
    std::vector<InaControlPlane::Server> servers;
    if (m_scenario.hosts().traits().has_servers)
    {
        std::vector<Ptr<InaServerApplication>>& applications = m_cluster.servers.emplace_back();
        for (const ina::HostId host : m_places.servers[id])
        {
            servers.push_back({HostAt(host), CreateObject<InaServerApplication>()});
            AddApplication(servers.back().application, host);
            applications.push_back(servers.back().application);
        }
    }
    m_cluster.control->AddJob(job, hosts, servers);
}

Ptr<InaTrainingJob>
InaClusterHelper::MakeJob(ina::JobId id) const
{
    const JobScenario& scenario = m_scenario.jobs[id];
    const auto job = CreateObject<InaTrainingJob>();
    job->SetAttribute("Iterations", UintegerValue(scenario.iterations));
    job->SetAttribute("JitterMin", TimeValue(Picoseconds(scenario.jitter.range.low_ps)));
    job->SetAttribute("JitterMax", TimeValue(Picoseconds(scenario.jitter.range.high_ps)));
    job->SetAttribute("JitterPer", EnumValue(static_cast<int>(scenario.jitter.per)));
    job->SetAttribute("StartMin", TimeValue(Picoseconds(scenario.start.low_ps)));
    job->SetAttribute("StartMax", TimeValue(Picoseconds(scenario.start.high_ps)));
    InaTrainingJob::Setup setup;
    setup.id = id;
    setup.workers = scenario.workers;
    setup.profile = scenario.profile;
    setup.computeTimeFactors = scenario.compute_time_factors;
    setup.valuesPerFragment = m_system->ValuesPerPacket();
    setup.exponentSlots = m_system->ExponentSlots();
    setup.carriedValues = CarriedValues();
    for (const ina::HostId worker : m_places.workers[id])
    {
        setup.lineRates_bps.push_back(m_links.hosts[m_places.machine_of[worker]].rate_bps_of(
            m_scenario.hosts().frame_bytes()));
    }
    setup.remainingTime = m_scenario.hosts().remaining_time();
    setup.unloadedPath = unloaded_path(m_scenario, m_links, m_places, id);
    setup.overflow = m_scenario.hosts().overflow();
    setup.table = m_cluster.table.get();
    job->Configure(setup);
    return job;
}

void
InaClusterHelper::AddTraffic()
{
    if (m_trafficMachines.empty())
    {
        return;
    }
    const TrafficScenario& scenario = m_scenario.traffic;
    const ina::Time connectionTimeout =
        environment_of(m_scenario)
            .safe_timeout(ina::Time(scenario.min_rto_ps), m_scenario.hosts().frame_bytes());
    InaTraffic::SetDefaults(
        {.congestionControl = std::string(names_of(scenario.congestion_control).type),
         .ecn = scenario.ecn,
         .minRto = Picoseconds(scenario.min_rto_ps),
         .connectionTimeout = Picoseconds(connectionTimeout.count()),
         .bufferBytes = static_cast<uint32_t>(scenario.socket_buffer_bytes)});
    m_cluster.traffic = CreateObject<InaTraffic>();
    m_cluster.traffic->Configure({.patterns = traffic_patterns(m_scenario),
                                  .onOffs = OnOffsOf(scenario),
                                  .seed = m_scenario.seed});
    for (const uint32_t machine : m_trafficMachines)
    {
        const Ptr<InaNetDevice> device = m_cluster.links[machine].host;
        m_cluster.traffic->AddHost(machine, device);
        for (const auto& fabric : m_cluster.switches)
        {
            fabric->AddStation(Mac48Address::ConvertFrom(device->GetAddress()),
                               static_cast<ina::HostId>(machine));
        }
    }
    for (const auto& fabric : m_cluster.switches)
    {
        fabric->SetPacketMarker(MakeCallback(&InaMarkCongestion));
    }
}

InaControlPlane::Host
InaClusterHelper::HostAt(ina::HostId id) const
{
    return {id, m_cluster.topology.switch_of[id], m_cluster.links[m_places.machine_of[id]].host};
}

std::size_t
InaClusterHelper::CarriedValues() const
{
    switch (m_scenario.payload)
    {
    case Payload::none:
        return 0;
    case Payload::digest:
        return DIGEST_VALUES;
    case Payload::values:
        break;
    }
    return m_system->ValuesPerPacket();
}

} // namespace ns3
