/* SPDX-License-Identifier: GPL-2.0-only */
#include "ina-training-job.h"

#include "ns3/abort.h"
#include "ns3/ina-enum-accessor.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ns3
{

using ina::cluster::JitterPer;

NS_LOG_COMPONENT_DEFINE("InaTrainingJob");
NS_OBJECT_ENSURE_REGISTERED(InaTrainingJob);

namespace
{

/// The number of each partition within its layer, from 1, in the order of sending.
std::vector<uint32_t>
NumbersWithinLayers(const ina::cluster::ModelProfile& profile,
                    const ina::cluster::PartitionPlan& plan)
{
    std::vector<uint32_t> numbers;
    for (const auto& [layer, number] : profile.send_order)
    {
        numbers.push_back(number);
    }
    if (!numbers.empty())
    {
        return numbers;
    }
    std::map<uint32_t, uint32_t> before; // partitions of a layer; they ascend by default
    for (const ina::cluster::PlannedPartition& partition : plan.partitions())
    {
        numbers.push_back(++before[partition.layer]);
    }
    return numbers;
}

} // namespace

TypeId
InaTrainingJob::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::InaTrainingJob")
            .SetParent<Object>()
            .SetGroupName("Ina")
            .AddConstructor<InaTrainingJob>()
            .AddAttribute("Iterations",
                          "How often the workers compute and all-reduce their gradients.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&InaTrainingJob::m_iterationCount),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("JitterMin",
                          "Least time that is added to a worker's computation before it submits a "
                          "partition.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&InaTrainingJob::m_jitterMin),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("JitterMax",
                          "Most of that time; it is drawn uniformly, not below JitterMin.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&InaTrainingJob::m_jitterMax),
                          MakeTimeChecker(Time(0)))
            .AddAttribute(
                "JitterPer",
                "How often a worker draws its jitter: once (worker), for each iteration, or for "
                "each "
                "partition of each iteration. Set it with a StringValue.",
                EnumValue(static_cast<int>(JitterPer::partition)),
                InaMakeEnumAccessorOf<int>(&InaTrainingJob::SetJitterPer,
                                           &InaTrainingJob::GetJitterPer),
                MakeEnumChecker(static_cast<int>(JitterPer::partition),
                                "partition",
                                static_cast<int>(JitterPer::iteration),
                                "iteration",
                                static_cast<int>(JitterPer::worker),
                                "worker"))
            .AddAttribute("StartMin",
                          "Earliest start of the job, after Start() is called.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&InaTrainingJob::m_startMin),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("StartMax",
                          "Latest start of the job; it is drawn uniformly, not before StartMin.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&InaTrainingJob::m_startMax),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("IterationStart",
                            "The first worker began an iteration: job, iteration.",
                            MakeTraceSourceAccessor(&InaTrainingJob::m_iterationStartTrace),
                            "ns3::InaTrainingJob::IterationStartTracedCallback")
            .AddTraceSource(
                "IterationEnd",
                "The last worker ended an iteration: job, iteration, its completion time.",
                MakeTraceSourceAccessor(&InaTrainingJob::m_iterationEndTrace),
                "ns3::InaTrainingJob::IterationEndTracedCallback")
            .AddTraceSource("Computes",
                            "A worker begins to compute the backward or forward pass of a layer; "
                            "told early of what it will compute.",
                            MakeTraceSourceAccessor(&InaTrainingJob::m_computesTrace),
                            "ns3::InaTrainingJob::ComputesTracedCallback")
            .AddTraceSource("PartitionSubmitted",
                            "A worker submits a partition.",
                            MakeTraceSourceAccessor(&InaTrainingJob::m_partitionSubmittedTrace),
                            "ns3::InaTrainingJob::PartitionTracedCallback")
            .AddTraceSource("PartitionCompleted",
                            "A worker has all results of a partition.",
                            MakeTraceSourceAccessor(&InaTrainingJob::m_partitionCompletedTrace),
                            "ns3::InaTrainingJob::PartitionTracedCallback");
    return tid;
}

void
InaTrainingJob::Configure(const Setup& setup)
{
    NS_ABORT_MSG_IF(m_jitterMax < m_jitterMin, "JitterMax is below JitterMin");
    NS_ABORT_MSG_IF(m_startMax < m_startMin, "StartMax is below StartMin");
    m_id = setup.id;
    m_profileName = setup.profile.name;
    m_plan = {.iterations = m_iterationCount,
              .layers = setup.profile.layers,
              .partitions = ina::cluster::PartitionPlan(setup.profile,
                                                        setup.valuesPerFragment,
                                                        setup.exponentSlots),
              .compute_time_factors = setup.computeTimeFactors,
              .jitter_low = ina::Time(m_jitterMin.GetTimeStep()),
              .jitter_high = ina::Time(m_jitterMax.GetTimeStep()),
              .jitter_per = m_jitterPer,
              .line_rates_bps = setup.lineRates_bps,
              .remaining_time = setup.remainingTime,
              .unloaded_path = setup.unloadedPath};
    m_numbers = NumbersWithinLayers(setup.profile, m_plan.partitions);
    constexpr uint64_t NO_SEED = 0; // until SetGradients()
    m_gradients = std::make_unique<ina::cluster::JobGradients>(
        *setup.table,
        m_plan.partitions,
        ina::cluster::JobGradients::Config{.job = setup.id,
                                           .workers = setup.workers,
                                           .carried_values = setup.carriedValues,
                                           .overflow = setup.overflow,
                                           .in_blocks = setup.exponentSlots != 0},
        NO_SEED);
    for (auto& submits : m_lastSubmit)
    {
        submits.resize(m_plan.partitions.partitions().size());
    }
    m_startRandom = CreateObject<UniformRandomVariable>();
    m_iterations = ina::cluster::JobIterations(setup.workers);
    for (uint32_t rank = 0; rank < setup.workers; ++rank)
    {
        m_workers.push_back(
            std::make_unique<InaTrainingWorker>(*this, static_cast<uint16_t>(rank)));
    }
}

void
InaTrainingJob::SetJitterPer(int per)
{
    m_jitterPer = static_cast<JitterPer>(per);
}

int
InaTrainingJob::GetJitterPer() const
{
    return static_cast<int>(m_jitterPer);
}

InaTrainingWorker&
InaTrainingJob::Worker(uint16_t rank)
{
    return *m_workers.at(rank);
}

int64_t
InaTrainingJob::AssignStreams(int64_t stream)
{
    // A stream for each worker: what one draws does not depend on when the others draw, so the same
    // seed has the same jitter under every system.
    m_startRandom->SetStream(stream);
    int64_t used = 1;
    for (const auto& worker : m_workers)
    {
        worker->AssignStream(stream + used++);
    }
    return used;
}

void
InaTrainingJob::SetGradients(uint64_t seed)
{
    m_gradients->reseed(seed);
}

void
InaTrainingJob::Start()
{
    m_startTs = Simulator::Now().GetTimeStep() +
                InaDrawSteps(*m_startRandom, m_startMin.GetTimeStep(), m_startMax.GetTimeStep());
    for (const auto& worker : m_workers)
    {
        worker->Begin(0, m_startTs);
    }
}

void
InaTrainingJob::Repeat(uint32_t iteration, int64_t ts)
{
    NS_LOG_INFO("job " << m_id << " goes on with iteration " << iteration);
    m_iterations.begin_again();
    for (const auto& worker : m_workers)
    {
        worker->Begin(iteration, std::max(ts, m_startTs));
    }
}

void
InaTrainingJob::WorkerStarted(uint32_t iteration, int64_t now)
{
    if (m_iterations.worker_started(iteration, ina::Time(now)))
    {
        m_iterationStartTrace(m_id, iteration);
    }
}

void
InaTrainingJob::WorkerEnded(uint16_t rank,
                            uint32_t iteration,
                            const ina::cluster::WorkerIteration& workers)
{
    NS_LOG_INFO("job " << m_id << " worker " << rank << " ended iteration " << iteration);
    if (const auto ended = m_iterations.worker_ended(iteration, rank, workers))
    {
        m_iterationEndTrace(m_id,
                            iteration,
                            TimeStep(static_cast<uint64_t>(ended->span().count())));
        if (m_iterationSink)
        {
            m_iterationSink(iteration, *ended);
        }
    }
    if (m_workerSink)
    {
        m_workerSink(rank, workers.end.count());
    }
}

void
InaTrainingJob::PartitionSubmitted(uint16_t rank,
                                   uint32_t iteration,
                                   std::size_t partition,
                                   int64_t now)
{
    m_lastSubmit[iteration % 2][partition] = now;
    m_partitionSubmittedTrace(EventOf(rank, iteration, partition, now));
}

InaPartitionEvent
InaTrainingJob::EventOf(uint16_t rank, uint32_t iteration, std::size_t partition, int64_t now) const
{
    return {.job = m_id,
            .rank = rank,
            .iteration = iteration,
            .partition = static_cast<uint32_t>(partition),
            .layer = m_plan.partitions.partitions()[partition].layer,
            .number = m_numbers[partition],
            .ts = now};
}

int64_t
InaTrainingJob::LastSubmit(uint32_t iteration, std::size_t partition) const
{
    return m_lastSubmit[iteration % 2][partition];
}

uint32_t
InaTrainingJob::IterationsDone() const
{
    return m_iterations.finished();
}

std::optional<int64_t>
InaTrainingJob::StartedAt() const
{
    const std::optional<ina::Time> start = m_iterations.started_at();
    return start ? std::optional(start->count()) : std::nullopt;
}

uint64_t
InaTrainingJob::FragmentsDone() const
{
    uint64_t done = 0;
    for (const auto& worker : m_workers)
    {
        done += worker->fragments_done();
    }
    return done;
}

uint64_t
InaTrainingJob::FragmentsInAll() const
{
    return uint64_t{m_plan.partitions.fragments_per_iteration()} * m_plan.iterations *
           m_workers.size();
}

} // namespace ns3
