/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_RECORDING_TRANSPORT_H
#define INA_RECORDING_TRANSPORT_H

#include "ns3/ina-cluster-run.h"
#include "ns3/ina-own-simulator.h"
#include "ns3/ina-system-of.h"
#include "scenarios/keys/scenario.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

/** A tensor that a worker submitted, and the time of the submission, in picoseconds. */
struct Submission
{
    ina::Psn firstPsn;
    uint32_t fragments;
    int64_t ts;
    ina::TensorPriority priority;
};

/** A transport that records submissions and forwards all calls to another transport. */
class RecordingTransport : public ina::WorkerTransport
{
  public:
    RecordingTransport(std::unique_ptr<ina::WorkerTransport> inner, std::vector<Submission>& log) :
        m_inner(std::move(inner)), m_log(log)
    {
    }

    void
    submit(const ina::Tensor& tensor, ina::Time now) override
    {
        m_log.push_back({tensor.first_psn, tensor.fragments, now.count(), tensor.priority});
        m_inner->submit(tensor, now);
    }

    void
    receive(const ina::Frame& frame, ina::Time now) override
    {
        m_inner->receive(frame, now);
    }

    bool
    next(ina::Frame& out, ina::Time now) override
    {
        return m_inner->next(out, now);
    }

    ina::Time
    deadline() const override
    {
        return m_inner->deadline();
    }

    void
    expire(ina::Time now) override
    {
        m_inner->expire(now);
    }

    uint32_t
    in_flight() const override
    {
        return m_inner->in_flight();
    }

    uint32_t
    window() const override
    {
        return m_inner->window();
    }

    const ina::WorkerStatistics&
    statistics() const override
    {
        return m_inner->statistics();
    }

  private:
    std::unique_ptr<ina::WorkerTransport> m_inner;
    std::vector<Submission>& m_log;
};

inline Ptr<InaSystem>
MakeSystem(ina::scenarios::System system)
{
    return CreateInaSystem({}, system, {});
}

/** Runs a scenario of one job and returns the submissions of each worker, by rank. */
inline std::vector<std::vector<Submission>>
SubmissionsOf(const ina::scenarios::Scenario& scenario)
{
    const ina::scenarios::JobScenario& job = scenario.jobs[0];
    std::vector<std::vector<Submission>> log(job.workers);
    const InaOwnSimulator simulator(scenario);
    InaClusterRun run(scenario);
    InaCluster& cluster = run.Build();
    for (uint16_t rank = 0; rank < job.workers; ++rank)
    {
        const ina::WorkerIdentity identity{cluster.control->GetId(0),
                                           rank,
                                           static_cast<uint16_t>(job.workers),
                                           rank,
                                           static_cast<ina::HostId>(scenario.topology.hosts)};
        InaTrainingWorker& worker = cluster.jobs[0]->GetWorker(rank);
        worker.GetApplication().Install(
            cluster.links[rank].host,
            std::make_unique<RecordingTransport>(
                MakeSystem(scenario.system)->MakeTransport(identity, *cluster.pool, worker),
                log[rank]));
    }
    run.Run();
    return log;
}

} // namespace ns3

#endif // INA_RECORDING_TRANSPORT_H
