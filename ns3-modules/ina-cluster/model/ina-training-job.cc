/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-training-job.h"

#include "ns3/abort.h"
#include "ns3/ina-protocol-time.h"
#include "ns3/ina-watched-trace.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaTrainingJob");
NS_OBJECT_ENSURE_REGISTERED(InaTrainingJob);

TypeId
InaTrainingJob::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::InaTrainingJob")
            .SetParent<Object>()
            .SetGroupName("Ina")
            .AddConstructor<InaTrainingJob>()
            .AddTraceSource(
                "IterationStart",
                "The first worker began an iteration: job, iteration.",
                MakeInaWatchedTraceAccessor<InaTrainingJob>(&InaTrainingJob::m_iterationStartTrace,
                                                            &InaTrainingJob::KeepToClock),
                "ns3::InaTrainingJob::IterationStartTracedCallback")
            .AddTraceSource(
                "IterationEnd",
                "The last worker ended an iteration: job, iteration, its completion time.",
                MakeInaWatchedTraceAccessor<InaTrainingJob>(&InaTrainingJob::m_iterationEndTrace,
                                                            &InaTrainingJob::KeepToClock),
                "ns3::InaTrainingJob::IterationEndTracedCallback")
            .AddTraceSource(
                "Computes",
                "A worker begins to compute the backward or forward pass of a layer; "
                "told early of what it will compute.",
                MakeInaWatchedTraceAccessor<InaTrainingJob>(&InaTrainingJob::m_computesTrace,
                                                            &InaTrainingJob::KeepToClock),
                "ns3::InaTrainingJob::ComputesTracedCallback")
            .AddTraceSource("PartitionSubmitted",
                            "A worker submits a partition.",
                            MakeInaWatchedTraceAccessor<InaTrainingJob>(
                                &InaTrainingJob::m_partitionSubmittedTrace,
                                &InaTrainingJob::KeepToClock),
                            "ns3::InaTrainingJob::PartitionTracedCallback")
            .AddTraceSource("PartitionCompleted",
                            "A worker has all results of a partition.",
                            MakeInaWatchedTraceAccessor<InaTrainingJob>(
                                &InaTrainingJob::m_partitionCompletedTrace,
                                &InaTrainingJob::KeepToClock),
                            "ns3::InaTrainingJob::PartitionTracedCallback");
    return tid;
}

void
InaTrainingJob::Configure(const Setup& setup)
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_UNLESS(m_workers.empty(), "InaTrainingJob::Configure() was called twice");
    NS_ABORT_MSG_UNLESS(setup.table, "an InaTrainingJob needs values: set Setup::table");
    m_job = setup.job;
    m_numbers = setup.partitionNumbers;
    const auto workers = static_cast<uint32_t>(m_job.workers.size());
    m_gradients = std::make_unique<ina::cluster::JobGradients>(
        *setup.table,
        m_job.training.partitions,
        ina::cluster::JobGradients::Config{.job = m_job.number,
                                           .workers = workers,
                                           .carried_values = setup.carriedValues,
                                           .overflow = setup.overflow,
                                           .in_blocks = setup.inBlocks},
        m_job.seed_of_gradients());
    for (auto& submits : m_lastSubmit)
    {
        submits.resize(m_job.training.partitions.partitions().size());
    }
    m_iterations = ina::cluster::JobIterations(workers);
    for (uint16_t rank = 0; rank < workers; ++rank)
    {
        const ina::cluster::RandomStream random(m_job.first_stream + rank, setup.seed);
        m_workers.push_back(std::make_unique<InaTrainingWorker>(*this, rank, random));
    }
}

void
InaTrainingJob::KeepToClock()
{
    NS_LOG_FUNCTION(this);
    m_keepsToClock = true;
    for (const auto& worker : m_workers)
    {
        worker->KeepToClock();
    }
}

bool
InaTrainingJob::IsIdle() const
{
    return std::ranges::all_of(m_workers,
                               [](const auto& worker)
                               { return worker->GetApplication().IsIdle(); });
}

InaTrainingWorker&
InaTrainingJob::GetWorker(uint16_t rank)
{
    NS_ABORT_MSG_UNLESS(rank < m_workers.size(),
                        "job " << m_job.number << ": found worker " << rank << "; allowed: below "
                               << m_workers.size());
    return *m_workers.at(rank);
}

void
InaTrainingJob::SetGradientsOf(ina::JobId id)
{
    m_job.id = id;
    m_gradients->reseed(m_job.seed_of_gradients());
}

void
InaTrainingJob::Start()
{
    NS_LOG_FUNCTION(this);
    m_startTs = Simulator::Now().GetTimeStep() + m_job.start.count();
    for (const auto& worker : m_workers)
    {
        worker->Begin(0, m_startTs);
    }
}

void
InaTrainingJob::Repeat(uint32_t iteration, const Time& at)
{
    NS_LOG_FUNCTION(this << iteration << at);
    NS_LOG_INFO("job " << m_job.number << " goes on with iteration " << iteration);
    m_iterations.begin_again();
    for (const auto& worker : m_workers)
    {
        worker->Begin(iteration, std::max(at.GetTimeStep(), m_startTs));
    }
}

void
InaTrainingJob::Fail(const std::string& what) const
{
    NS_ABORT_MSG_UNLESS(m_failureSink, what);
    m_failureSink(what);
}

void
InaTrainingJob::WorkerStarted(uint32_t iteration, int64_t now)
{
    if (m_iterations.worker_started(iteration, ina::Time(now)))
    {
        m_iterationStartTrace(m_job.number, iteration);
    }
}

void
InaTrainingJob::WorkerEnded(uint16_t rank,
                            uint32_t iteration,
                            const ina::cluster::WorkerIteration& workers)
{
    NS_LOG_INFO("job " << m_job.number << " worker " << rank << " ended iteration " << iteration);
    if (const auto ended = m_iterations.worker_ended(iteration, rank, workers))
    {
        m_iterationEndTrace(m_job.number, iteration, InaFromProtocol(ended->span()));
        if (m_iterationSink)
        {
            m_iterationSink(iteration, *ended);
        }
    }
    if (m_workerSink)
    {
        m_workerSink(rank, InaFromProtocol(workers.end));
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
    return {.job = m_job.number,
            .rank = rank,
            .iteration = iteration,
            .partition = static_cast<uint32_t>(partition),
            .layer = m_job.training.partitions.partitions()[partition].layer,
            .number = m_numbers[partition],
            .at = InaFromProtocol(ina::Time(now))};
}

int64_t
InaTrainingJob::LastSubmit(uint32_t iteration, std::size_t partition) const
{
    return m_lastSubmit[iteration % 2][partition];
}

uint32_t
InaTrainingJob::GetIterationsDone() const
{
    return m_iterations.finished();
}

std::optional<Time>
InaTrainingJob::GetStart() const
{
    const std::optional<ina::Time> start = m_iterations.started_at();
    return start ? std::optional(InaFromProtocol(*start)) : std::nullopt;
}

uint64_t
InaTrainingJob::GetFragmentsDone() const
{
    uint64_t done = 0;
    for (const auto& worker : m_workers)
    {
        done += worker->fragments_done();
    }
    return done;
}

uint64_t
InaTrainingJob::GetFragmentsInAll() const
{
    return uint64_t{m_job.training.partitions.fragments_per_iteration()} *
           m_job.training.iterations * m_workers.size();
}

} // namespace ns3
