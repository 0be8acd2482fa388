/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-cluster-helper.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/ina-ecn-marker.h"
#include "ns3/ina-flow-traffic.h"
#include "ns3/ina-host-stage.h"
#include "ns3/ina-link-faults.h"
#include "ns3/ina-stack-traffic.h"
#include "ns3/ina-system-of.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/uinteger.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaClusterHelper");

using namespace ina::scenarios;

using ina::cluster::SwitchIndex;
using ina::cluster::TrunkIndex;

namespace
{

Time
Picoseconds(int64_t ps)
{
    return TimeStep(static_cast<uint64_t>(ps));
}

void
AddFaultsTo(InaNetDevice& device, const ina::faults::LinkFaults::Config& settings, uint64_t seed)
{
    const auto faults = CreateObject<InaLinkFaults>();
    faults->Configure(settings, seed);
    device.AddFaults(faults);
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

InaClusterHelper::InaClusterHelper(const Resolved& resolved) :
    m_resolved(resolved),
    m_spec(resolved.spec),
    m_system(CreateInaSystem(resolved.scenario.systems,
                             resolved.scenario.system,
                             resolved.spec.environment))
{
    m_system->SetAttribute("SeparatePasses",
                           BooleanValue(resolved.scenario.switch_.passes == Passes::separate));
}

InaCluster
InaClusterHelper::Build()
{
    NS_LOG_FUNCTION(this);
    m_cluster.pool = std::make_unique<ina::ValuePool>(m_resolved.carried_values);
    m_cluster.table = std::make_unique<ina::numeric::SyntheticTable>();
    m_cluster.topology = m_spec.topology;
    BuildSwitches();
    BuildHosts();
    ShareHosts();
    BuildTrunks();
    AddControlPlane();
    for (const ina::cluster::JobSpec& job : m_spec.jobs)
    {
        AddJob(job);
    }
    AddFaults();
    AddFailures();
    m_cluster.control->Plan(m_spec.node_faults);
    AddTraffic();
    return std::move(m_cluster);
}

void
InaClusterHelper::AddFaults()
{
    NS_LOG_FUNCTION(this);
    for (const ina::cluster::LinkFaultsSpec& faults : m_spec.link_faults)
    {
        const InaClusterLink& link =
            faults.host ? m_cluster.links[*faults.host] : m_cluster.LinkOf(*faults.trunk);
        const bool isUp = faults.direction == ina::faults::LinkDirection::to_switch;
        AddFaultsTo(isUp ? *link.host : *link.port, faults.faults, faults.seed);
    }
}

/// A link that fails permanently loses the frames in flight and all later ones.
void
InaClusterHelper::AddFailures()
{
    NS_LOG_FUNCTION(this);
    for (const ina::faults::PlannedNodeFault& fault : m_spec.node_faults)
    {
        if (fault.fault != ina::faults::NodeFault::link_fails)
        {
            continue;
        }
        const std::size_t trunks = m_cluster.topology.trunks.size();
        const InaClusterLink& link = fault.link < trunks ? m_cluster.LinkOf(fault.link)
                                                         : m_cluster.links[fault.link - trunks];
        const int64_t delay = DynamicCast<InaChannel>(link.host->GetChannel())->DelaySteps();
        ina::faults::LinkFaults::Config failure;
        failure.from = std::max(ina::Time::zero(), fault.at - ina::Time(delay));
        failure.until = ina::kNever;
        failure.loss = 1;
        for (const Ptr<InaNetDevice>& device : {link.host, link.port})
        {
            AddFaultsTo(*device, failure, 0);
        }
    }
}

/// Builds the servers' switch first, because the order of creation decides between simultaneous
/// events.
void
InaClusterHelper::BuildSwitches()
{
    const Ptr<InaSwitch> ofServers = MakeSwitch();
    const std::size_t count = m_cluster.topology.switches.size();
    const ina::wire::PathChoice choice = m_spec.control().path_choice;
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
    const SwitchScenario& config = m_resolved.scenario.switch_;
    const auto inaSwitch = CreateObject<InaSwitch>();
    inaSwitch->SetAttribute("RunAhead", BooleanValue(true));
    inaSwitch->SetAttribute("BufferSize", UintegerValue(config.buffer_bytes));
    inaSwitch->SetAttribute("EcnThreshold", UintegerValue(config.ecn_threshold_bytes));
    inaSwitch->SetAttribute("PipelineLatency", TimeValue(Picoseconds(config.pipeline_latency_ps)));
    inaSwitch->SetAttribute("PassLatency", TimeValue(Picoseconds(config.pass_latency_ps)));
    inaSwitch->SetAttribute("ResubmitBandwidth",
                            DataRateValue(DataRate(config.resubmit_bandwidth_bps)));
    inaSwitch->SetAttribute("ChargePasses", BooleanValue(config.passes == Passes::charged));
    inaSwitch->SetAttribute("RecirculateBandwidth",
                            DataRateValue(DataRate(config.recirculate_bandwidth_bps)));
    node->AggregateObject(inaSwitch);
    return inaSwitch;
}

void
InaClusterHelper::BuildHosts()
{
    const std::vector<std::string>& names = m_resolved.network.host_names;
    for (std::size_t host = 0; host < names.size(); ++host)
    {
        AddHost(names[host], static_cast<ina::HostId>(host));
    }
}

void
InaClusterHelper::AddHost(const std::string& name, ina::HostId id)
{
    const Ptr<Node> host = CreateObject<Node>();
    m_cluster.nodes.Add(host);
    const SwitchIndex above = m_cluster.topology.switch_of[id];
    const bool sends =
        CarriesPackets() && std::ranges::binary_search(m_resolved.traffic_machines, uint32_t{id});
    const NetworkLink& own = m_resolved.network.hosts[id];
    const InaClusterLink link = Connect(name, name, host, above, own, sends);
    if (own.stage.is_on())
    {
        const auto stage = CreateObject<InaHostStage>();
        stage->Configure(own.stage, own.stage_seed);
        link.host->SetHostStage(stage);
    }
    m_cluster.switches[above]->AddPort(link.port, id);
}

/// The first worker or server on a host has the host's address; others have addresses after all
/// hosts.
void
InaClusterHelper::ShareHosts()
{
    const std::vector<uint32_t>& machineOf = m_resolved.placements.machine_of;
    for (std::size_t address = m_cluster.links.size(); address < machineOf.size(); ++address)
    {
        const uint32_t machine = machineOf[address];
        InaSwitch& above = *m_cluster.switches[m_cluster.topology.switch_of[address]];
        above.SetRoutes({static_cast<ina::HostId>(address)},
                        {above.GetPort(static_cast<ina::HostId>(machine))});
        ShareDeviceOf(machine);
    }
    if (m_resolved.scenario.traffic.model == TrafficModel::flows)
    {
        std::ranges::for_each(m_resolved.traffic_machines,
                              [this](uint32_t machine) { ShareDeviceOf(machine); });
    }
}

void
InaClusterHelper::ShareDeviceOf(uint32_t machine)
{
    Ptr<InaHostInterface>& interface = m_interfaces[machine];
    if (!interface)
    {
        interface = Create<InaHostInterface>(m_cluster.links[machine].host);
    }
}

/// Whether links carry packets of ns-3 in addition to frames.
bool
InaClusterHelper::CarriesPackets() const
{
    return m_resolved.scenario.traffic.model == TrafficModel::ns3 &&
           !m_resolved.traffic_machines.empty();
}

void
InaClusterHelper::BuildTrunks()
{
    const auto& topology = m_cluster.topology;
    const std::vector<std::string>& names = m_resolved.network.trunk_names;
    m_trunkPorts.resize(topology.switches.size());
    for (TrunkIndex index = 0; index < topology.trunks.size(); ++index)
    {
        const auto& trunk = topology.trunks[index];
        const InaClusterLink link = Connect(names[index],
                                            topology.switches[trunk.lower].name,
                                            m_cluster.switches[trunk.lower]->GetObject<Node>(),
                                            trunk.upper,
                                            m_resolved.network.trunks[index],
                                            CarriesPackets());
        m_trunkPorts[trunk.upper][index] = m_cluster.switches[trunk.upper]->AddTrunk(link.port);
        m_trunkPorts[trunk.lower][index] = m_cluster.switches[trunk.lower]->AddTrunk(link.host);
    }
}

/// Connects a host to a switch, or a switch to one above it.
InaClusterLink
InaClusterHelper::Connect(const std::string& name,
                          const std::string& below,
                          const Ptr<Node>& node,
                          SwitchIndex above,
                          const NetworkLink& link,
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
    const auto port = addDevice(m_cluster.switches[above]->GetObject<Node>());
    m_cluster.links.push_back({name, below, m_cluster.topology.switches[above].name, host, port});
    return m_cluster.links.back();
}

void
InaClusterHelper::AddControlPlane()
{
    NS_LOG_FUNCTION(this);
    InaControlPlane::Setup setup;
    setup.system = m_system;
    setup.control = m_spec.control();
    setup.switches = m_cluster.switches;
    setup.trunkPorts = m_trunkPorts;
    setup.pool = m_cluster.pool.get();
    setup.jobs = static_cast<uint32_t>(m_spec.jobs.size());
    setup.carriedValues = m_resolved.carried_values;
    m_cluster.control = CreateObject<InaControlPlane>();
    m_cluster.control->Configure(setup);
}

void
InaClusterHelper::AddApplication(const Ptr<InaHostApplication>& application, ina::HostId address)
{
    HostAt(address).device->GetNode()->AddApplication(application);
    const auto interface = m_interfaces.find(m_resolved.placements.machine_of[address]);
    if (interface != m_interfaces.end())
    {
        application->Share(interface->second, address);
    }
}

void
InaClusterHelper::AddJob(const ina::cluster::JobSpec& spec)
{
    const Ptr<InaTrainingJob> job = MakeJob(spec);
    m_cluster.jobs.push_back(job);
    std::vector<InaControlPlane::Host> hosts;
    uint16_t rank = 0;
    for (const ina::HostId host : spec.workers)
    {
        hosts.push_back(HostAt(host));
        const auto application = CreateObject<InaWorkerApplication>();
        AddApplication(application, host);
        job->GetWorker(rank++).Install(application);
    }
    std::vector<InaControlPlane::Server> servers;
    if (m_spec.has_servers())
    {
        std::vector<Ptr<InaServerApplication>>& applications = m_cluster.servers.emplace_back();
        for (const ina::HostId host : spec.servers)
        {
            servers.push_back({HostAt(host), CreateObject<InaServerApplication>()});
            servers.back().application->SetAttribute("RunAhead", BooleanValue(true));
            AddApplication(servers.back().application, host);
            applications.push_back(servers.back().application);
        }
    }
    m_cluster.control->AddJob(job, hosts, servers);
}

Ptr<InaTrainingJob>
InaClusterHelper::MakeJob(const ina::cluster::JobSpec& spec) const
{
    const auto job = CreateObject<InaTrainingJob>();
    job->Configure({.job = spec,
                    .seed = m_resolved.scenario.seed,
                    .carriedValues = m_resolved.carried_values,
                    .inBlocks = m_spec.in_blocks(),
                    .overflow = m_spec.system->overflow(),
                    .table = m_cluster.table.get(),
                    .partitionNumbers = m_resolved.partition_numbers[spec.number]});
    return job;
}

void
InaClusterHelper::AddTraffic()
{
    NS_LOG_FUNCTION(this);
    if (m_resolved.traffic_machines.empty())
    {
        return;
    }
    if (m_resolved.scenario.traffic.model == TrafficModel::flows)
    {
        AddFlowTraffic();
    }
    else
    {
        AddStackTraffic();
    }
    m_cluster.traffic->Configure({.patterns = m_resolved.traffic,
                                  .onOffs = OnOffsOf(m_resolved.scenario.traffic),
                                  .seed = m_resolved.scenario.seed});
}

/// Time-out of a flow's first packet, before the flow knows its round trip.
ina::Time
InaClusterHelper::ConnectionTimeout() const
{
    return m_spec.environment.safe_timeout(ina::Time(m_resolved.scenario.traffic.min_rto_ps),
                                           m_spec.system->frame_bytes());
}

void
InaClusterHelper::AddFlowTraffic()
{
    const TrafficScenario& scenario = m_resolved.scenario.traffic;
    const auto traffic = CreateObject<InaFlowTraffic>();
    traffic->SetHosts(
        {.window = {.control = *flow_control(scenario.congestion_control), .ecn = scenario.ecn},
         .min_rto = ina::Time(scenario.min_rto_ps),
         .first_rto = ConnectionTimeout(),
         .buffer_bytes = scenario.socket_buffer_bytes});
    for (const uint32_t machine : m_resolved.traffic_machines)
    {
        traffic->AddHost(machine, m_cluster.links[machine].host, m_interfaces.at(machine));
    }
    m_cluster.traffic = traffic;
}

void
InaClusterHelper::AddStackTraffic()
{
    const TrafficScenario& scenario = m_resolved.scenario.traffic;
    InaStackTraffic::SetDefaults(
        {.congestionControl = std::string(names_of(scenario.congestion_control).type),
         .ecn = scenario.ecn,
         .minRto = Picoseconds(scenario.min_rto_ps),
         .connectionTimeout = Picoseconds(ConnectionTimeout().count()),
         .bufferBytes = static_cast<uint32_t>(scenario.socket_buffer_bytes)});
    const auto traffic = CreateObject<InaStackTraffic>();
    for (const uint32_t machine : m_resolved.traffic_machines)
    {
        const Ptr<InaNetDevice> device = m_cluster.links[machine].host;
        traffic->AddHost(machine, device);
        for (const auto& inaSwitch : m_cluster.switches)
        {
            inaSwitch->AddStation(Mac48Address::ConvertFrom(device->GetAddress()),
                                  static_cast<ina::HostId>(machine));
        }
    }
    for (const auto& inaSwitch : m_cluster.switches)
    {
        inaSwitch->SetPacketMarker(MakeCallback(&InaMarkCongestion));
    }
    m_cluster.traffic = traffic;
}

InaControlPlane::Host
InaClusterHelper::HostAt(ina::HostId id) const
{
    return {id,
            m_cluster.topology.switch_of[id],
            m_cluster.links[m_resolved.placements.machine_of[id]].host};
}

} // namespace ns3
