/* SPDX-License-Identifier: GPL-2.0-only */
#include "ina-cluster-helper.h"

#include "hw/protocol/server/atp_server.hpp"
#include "hw/protocol/server/dsa_server.hpp"
#include "hw/protocol/transport/atp_worker.hpp"
#include "hw/protocol/transport/dsa_worker.hpp"
#include "hw/protocol/transport/switchml_worker.hpp"
#include "switch-models/policies/always_preempt.hpp"
#include "switch-models/policies/coin_flip.hpp"
#include "switch-models/policies/fcfs.hpp"
#include "switch-models/policies/priority.hpp"
#include "switch-models/programs/atp.hpp"
#include "switch-models/programs/dsa.hpp"
#include "switch-models/programs/switchml.hpp"

#include "ns3/abort.h"
#include "ns3/data-rate.h"
#include "ns3/enum.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/uinteger.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

constexpr std::size_t DIGEST_VALUES = 2; // 64 bits
constexpr std::uint32_t STARVED_SLOTS = 166;
constexpr std::uint64_t VALUE_BYTES = 4;
constexpr std::uint64_t SEED_STRIDE = 1'000'003; // between the gradients of two jobs of a run

Time
Picoseconds(int64_t ps)
{
    return TimeStep(static_cast<uint64_t>(ps));
}

} // namespace

InaClusterHelper::InaClusterHelper(const Scenario& scenario) : m_scenario(scenario) {}

Cluster
InaClusterHelper::Build()
{
    CheckPlaces();
    m_cluster.pool = std::make_unique<ina::ValuePool>(CarriedValues());
    m_cluster.table = std::make_unique<ina::numeric::SyntheticTable>();
    BuildStar();
    ina::HostId firstHost = 0;
    int64_t stream = 0;
    for (std::size_t job = 0; job < m_scenario.jobs.size(); ++job)
    {
        AddJob(static_cast<ina::JobId>(job), firstHost);
        stream += m_cluster.jobs.back()->AssignStreams(stream);
        firstHost = static_cast<ina::HostId>(firstHost + m_scenario.jobs[job].workers);
    }
    return std::move(m_cluster);
}

/// The reader of scenario files checks this and more; here for scenarios that were filled in by a
/// program.
void
InaClusterHelper::CheckPlaces() const
{
    uint64_t workers = 0;
    for (const JobScenario& job : m_scenario.jobs)
    {
        workers += job.workers;
        NS_ABORT_MSG_IF(job.workers == 0 || job.workers > ina::wire::kMaxWorkersPerSwitch,
                        "a job has 1 to " << ina::wire::kMaxWorkersPerSwitch << " workers");
        NS_ABORT_MSG_IF(job.profile.layers.empty(), "a job needs a model with layers");
    }
    NS_ABORT_MSG_IF(workers > m_scenario.topology.hosts, "more workers than hosts");
    const bool hashed = m_scenario.system == System::atp || m_scenario.system == System::dsa;
    NS_ABORT_MSG_IF(hashed && m_scenario.jobs.size() > m_scenario.topology.parameter_servers,
                    "more jobs than parameter servers");
}

void
InaClusterHelper::BuildStar()
{
    const Ptr<Node> node = CreateObject<Node>();
    m_cluster.nodes.Add(node);
    const SwitchScenario& config = m_scenario.switch_;
    m_cluster.fabric = CreateObject<InaSwitch>();
    m_cluster.fabric->SetAttribute("BufferSize", UintegerValue(config.buffer_bytes));
    m_cluster.fabric->SetAttribute("EcnThreshold", UintegerValue(config.ecn_threshold_bytes));
    m_cluster.fabric->SetAttribute("PipelineLatency",
                                   TimeValue(Picoseconds(config.pipeline_latency_ps)));
    m_cluster.fabric->SetAttribute("PassLatency", TimeValue(Picoseconds(config.pass_latency_ps)));
    m_cluster.fabric->SetAttribute("ResubmitBandwidth",
                                   DataRateValue(DataRate(config.resubmit_bandwidth_bps)));
    node->AggregateObject(m_cluster.fabric);
    m_cluster.fabric->SetProgram(MakeProgram());
    const TopologyScenario& topology = m_scenario.topology;
    for (uint32_t host = 0; host < topology.hosts; ++host)
    {
        AddHost(fmt::format("host{}", host), static_cast<ina::HostId>(host));
    }
    for (uint32_t server = 0; server < topology.parameter_servers; ++server)
    {
        AddHost(fmt::format("ps{}", server), static_cast<ina::HostId>(topology.hosts + server));
    }
}

void
InaClusterHelper::AddHost(const std::string& name, ina::HostId id)
{
    const LinkScenario& link = m_scenario.topology.link;
    const Ptr<Node> host = CreateObject<Node>();
    m_cluster.nodes.Add(host);
    const auto channel = CreateObject<LeanChannel>();
    channel->SetAttribute("Delay", TimeValue(Picoseconds(link.delay_ps)));
    const auto addDevice = [&](const Ptr<Node>& node)
    {
        const auto device = CreateObject<LeanNetDevice>();
        device->SetAttribute("DataRate", DataRateValue(DataRate(link.rate_bps)));
        device->SetAttribute("FramingBytes", UintegerValue(link.framing_bytes));
        node->AddDevice(device);
        device->Attach(channel);
        return device;
    };
    ClusterLink ends{name, addDevice(host), addDevice(m_cluster.nodes.Get(0))};
    m_cluster.fabric->AddPort(ends.port, id);
    m_cluster.links.push_back(ends);
}

std::unique_ptr<ina::programs::SwitchProgram>
InaClusterHelper::MakeProgram() const
{
    using namespace ina::programs;
    using namespace ina::policies;
    if (m_scenario.system == System::atp)
    {
        AtpProgram<>::Config config;
        config.aggregators = Aggregators();
        config.width = CarriedValues();
        config.aggregator_expiry = ina::Time(m_scenario.atp.aggregator_expiry_ps);
        return std::make_unique<AtpProgram<>>(config);
    }
    if (m_scenario.system != System::dsa)
    {
        return std::make_unique<SwitchmlProgram<>>(SlotsPerJob() * m_scenario.jobs.size(),
                                                   CarriedValues());
    }
    const auto dsa = [this](auto policy) -> std::unique_ptr<SwitchProgram> {
        return std::make_unique<DsaProgram<decltype(policy)>>(Aggregators(),
                                                              CarriedValues(),
                                                              policy);
    };
    switch (m_scenario.dsa.policy)
    {
    case CollisionPolicy::fcfs:
        return dsa(Fcfs());
    case CollisionPolicy::always_preempt:
        return dsa(AlwaysPreempt());
    case CollisionPolicy::coin_flip:
        return dsa(CoinFlip(m_scenario.seed));
    case CollisionPolicy::priority:
        break;
    }
    return dsa(Priority());
}

void
InaClusterHelper::AddJob(ina::JobId id, ina::HostId firstHost)
{
    const JobScenario& scenario = m_scenario.jobs[id];
    const auto job = CreateObject<TrainingJob>();
    job->SetAttribute("Iterations", UintegerValue(scenario.iterations));
    job->SetAttribute("JitterMin", TimeValue(Picoseconds(scenario.jitter.range.low_ps)));
    job->SetAttribute("JitterMax", TimeValue(Picoseconds(scenario.jitter.range.high_ps)));
    job->SetAttribute("JitterPer", EnumValue(static_cast<int>(scenario.jitter.per)));
    job->SetAttribute("StartMin", TimeValue(Picoseconds(scenario.start.low_ps)));
    job->SetAttribute("StartMax", TimeValue(Picoseconds(scenario.start.high_ps)));
    TrainingJob::Setup setup;
    setup.id = id;
    setup.workers = scenario.workers;
    setup.profile = scenario.profile;
    setup.speeds = scenario.speeds;
    setup.valuesPerFragment = ValuesPerFragment();
    setup.carriedValues = CarriedValues();
    setup.lineRate_bps = m_scenario.topology.link.rate_bps;
    setup.seed = m_scenario.seed * SEED_STRIDE + id;
    setup.table = m_cluster.table.get();
    job->Configure(setup);

    const auto workers = static_cast<uint16_t>(scenario.workers);
    std::vector<ina::HostId> hosts;
    for (uint16_t rank = 0; rank < workers; ++rank)
    {
        const auto host = static_cast<ina::HostId>(firstHost + rank);
        const Ptr<LeanNetDevice>& device = m_cluster.links[host].host;
        const auto application = CreateObject<InaWorkerApplication>();
        const ina::WorkerIdentity identity{id, rank, workers, host, ServerHost(id)};
        application->Install(device, MakeTransport(identity, job->Worker(rank)));
        device->GetNode()->AddApplication(application);
        job->Worker(rank).Install(application);
        hosts.push_back(host);
    }
    m_cluster.fabric->SetGroup(id, hosts);
    m_cluster.fabric->Program().install_job(
        id,
        {workers, ServerHost(id), id * SlotsPerJob(), SlotsPerJob()});
    const ina::ServerIdentity server{id,
                                     workers,
                                     ServerHost(id),
                                     job->Plan().FragmentsPerIteration()};
    if (auto logic = MakeServer(server))
    {
        const Ptr<LeanNetDevice>& device = m_cluster.links[ServerHost(id)].host;
        const auto application = CreateObject<InaServerApplication>();
        application->Install(device, std::move(logic));
        device->GetNode()->AddApplication(application);
        m_cluster.servers.push_back(application);
    }
    m_cluster.jobs.push_back(job);
}

std::unique_ptr<ina::WorkerTransport>
InaClusterHelper::MakeTransport(const ina::WorkerIdentity& identity, ina::ResultSink& sink)
{
    ina::ValuePool& pool = *m_cluster.pool;
    if (m_scenario.system == System::atp)
    {
        const AtpScenario& atp = m_scenario.atp;
        ina::AtpWorker::Config config;
        config.aggregators = Aggregators();
        config.window = {atp.initial_window_packets,
                         atp.max_window_packets,
                         atp.congestion_control};
        config.min_rto = ina::Time(atp.min_rto_ps);
        return std::make_unique<ina::AtpWorker>(identity, config, pool, sink);
    }
    if (m_scenario.system == System::dsa)
    {
        const DsaScenario& dsa = m_scenario.dsa;
        ina::DsaWorker::Config config;
        config.aggregators = Aggregators();
        config.window = {dsa.initial_window_packets,
                         dsa.max_window_packets,
                         dsa.congestion_control};
        config.min_rto = ina::Time(dsa.min_rto_ps);
        return std::make_unique<ina::DsaWorker>(identity, config, pool, sink);
    }
    ina::SwitchmlWorker::Config config;
    config.slots = SlotsPerJob();
    config.values_per_packet = m_scenario.switchml.values_per_packet;
    config.rto = ina::Time(m_scenario.switchml.rto_ps);
    return std::make_unique<ina::SwitchmlWorker>(identity, config, pool, sink);
}

std::unique_ptr<ina::ParameterServer>
InaClusterHelper::MakeServer(const ina::ServerIdentity& identity)
{
    if (m_scenario.system == System::atp)
    {
        ina::AtpServer::Config config;
        config.aggregators = Aggregators();
        config.rehash = m_scenario.atp.rehash;
        return std::make_unique<ina::AtpServer>(identity, config);
    }
    if (m_scenario.system == System::dsa)
    {
        ina::DsaServer::Config config;
        config.reminder_min_timeout = ina::Time(m_scenario.dsa.reminder_min_timeout_ps);
        return std::make_unique<ina::DsaServer>(identity, config, *m_cluster.pool);
    }
    return nullptr;
}

ina::HostId
InaClusterHelper::ServerHost(ina::JobId job) const
{
    return static_cast<ina::HostId>(m_scenario.topology.hosts + job);
}

uint32_t
InaClusterHelper::ValuesPerFragment() const
{
    const bool hashed = m_scenario.system == System::atp || m_scenario.system == System::dsa;
    return hashed ? static_cast<uint32_t>(ina::wire::kFragmentValues)
                  : m_scenario.switchml.values_per_packet;
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
    return ValuesPerFragment();
}

uint32_t
InaClusterHelper::Aggregators() const
{
    return static_cast<uint32_t>(m_scenario.switch_.memory_bytes /
                                 (ina::wire::kFragmentValues * VALUE_BYTES));
}

uint32_t
InaClusterHelper::SlotsPerJob() const
{
    if (m_scenario.switchml.slots)
    {
        return *m_scenario.switchml.slots;
    }
    const uint64_t pairBytes = 2 * VALUE_BYTES * m_scenario.switchml.values_per_packet;
    const uint64_t share = m_scenario.switch_.memory_bytes / pairBytes / m_scenario.jobs.size();
    const uint64_t most =
        m_scenario.system == System::switchml_starved ? STARVED_SLOTS : ina::wire::kMaxSlots;
    return static_cast<uint32_t>(std::min(share, most));
}

} // namespace ns3
