/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-training-worker.h"

#include "ina-training-job.h"

#include "hw/cluster/training/verification_error.hpp"

#include "ns3/abort.h"
#include "ns3/ina-protocol-time.h"
#include "ns3/log.h"

#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaTrainingWorker");

InaTrainingWorker::InaTrainingWorker(InaTrainingJob& job,
                                     uint16_t rank,
                                     const ina::cluster::RandomStream& random) :
    ina::cluster::TrainingWorker(job.m_job.training, *job.m_gradients, *this, rank),
    m_job(job),
    m_rank(rank),
    m_random(random)
{
}

void
InaTrainingWorker::Install(const Ptr<InaWorkerApplication>& application)
{
    NS_LOG_FUNCTION(this << application);
    m_application = application;
    m_application->SetRunAhead(!m_job.KeepsToClock());
}

void
InaTrainingWorker::KeepToClock()
{
    NS_LOG_FUNCTION(this);
    if (m_application)
    {
        m_application->SetRunAhead(false);
    }
}

InaWorkerApplication&
InaTrainingWorker::GetApplication() const
{
    NS_ABORT_MSG_UNLESS(m_application,
                        "worker " << m_rank << " of job " << m_job.GetNumber()
                                  << " has no application: call InaControlPlane::AddJob()");
    return *m_application;
}

void
InaTrainingWorker::Begin(uint32_t iteration, int64_t startTs)
{
    NS_LOG_FUNCTION(this << iteration << startTs);
    begin(iteration, ina::Time(startTs));
    m_plannedTs = std::numeric_limits<int64_t>::max();
    PlanNext();
}

void
InaTrainingWorker::PlanNext()
{
    const int64_t next = deadline().count();
    if (next >= m_plannedTs)
    {
        return;
    }
    m_plannedTs = next;
    GetApplication().At(Time(next),
                        [this](const Time& now)
                        {
                            // Results that arrive immediately schedule nothing, because
                            // `advance` continues until `now`.
                            advance(ina::Time(now.GetTimeStep()));
                            m_plannedTs = std::numeric_limits<int64_t>::max();
                            PlanNext();
                        });
}

/// Called by the transport in an event of the simulator, through which no exception may pass.
void
InaTrainingWorker::fragment_complete(const ina::Frame& result,
                                     const ina::Delivery& delivery,
                                     ina::Time now)
{
    std::string violation;
    try
    {
        ina::cluster::TrainingWorker::fragment_complete(result, delivery, now);
        return;
    }
    catch (const ina::cluster::VerificationError& error)
    {
        violation = error.what();
    }
    m_job.Fail(violation);
}

void
InaTrainingWorker::tensor_complete(ina::Psn firstPsn, ina::Time now)
{
    ina::cluster::TrainingWorker::tensor_complete(firstPsn, now);
    PlanNext();
}

void
InaTrainingWorker::submit(const ina::Tensor& tensor, ina::Time now)
{
    NS_LOG_LOGIC("job " << m_job.GetNumber() << " worker " << m_rank << " submits "
                        << tensor.fragments << " fragments from PSN " << tensor.first_psn
                        << ", priority " << tensor.priority.at(now));
    m_application->SubmitAt(tensor, now.count());
}

ina::Time
InaTrainingWorker::serialisation(uint32_t bytes) const
{
    return ina::Time(m_application->GetDevice()->SerialisationSteps(bytes));
}

ina::Time
InaTrainingWorker::draw(ina::Time low, ina::Time high)
{
    return m_random.between(low, high);
}

void
InaTrainingWorker::iteration_started(uint32_t iteration, ina::Time now)
{
    NS_LOG_INFO("job " << m_job.GetNumber() << " worker " << m_rank << " begins iteration "
                       << iteration);
    m_job.WorkerStarted(iteration, now.count());
}

void
InaTrainingWorker::partition_submitted(uint32_t iteration, std::size_t partition, ina::Time now)
{
    m_job.PartitionSubmitted(m_rank, iteration, partition, now.count());
}

void
InaTrainingWorker::computes(uint32_t iteration,
                            ina::cluster::Pass pass,
                            std::size_t layer,
                            ina::Time begin,
                            ina::Time end)
{
    m_job.m_computesTrace({.job = m_job.GetNumber(),
                           .rank = m_rank,
                           .iteration = iteration,
                           .pass = pass,
                           .layer = static_cast<uint32_t>(layer),
                           .begin = InaFromProtocol(begin),
                           .end = InaFromProtocol(end)});
}

void
InaTrainingWorker::partition_completed(uint32_t iteration, std::size_t partition, ina::Time now)
{
    m_job.m_partitionCompletedTrace(m_job.EventOf(m_rank, iteration, partition, now.count()));
}

ina::Time
InaTrainingWorker::last_submitted(uint32_t iteration, std::size_t partition) const
{
    return ina::Time(m_job.LastSubmit(iteration, partition));
}

void
InaTrainingWorker::iteration_ended(uint32_t iteration, const ina::cluster::WorkerIteration& ended)
{
    m_job.WorkerEnded(m_rank, iteration, ended);
}

} // namespace ns3
