/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_TRAINING_JOB_H
#define INA_TRAINING_JOB_H

#include "jct-parts.h"
#include "partition-plan.h"
#include "training-worker.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <memory>
#include <vector>

namespace ns3
{

/** One iteration of a job, when all of its workers have ended it; times in time steps. */
struct IterationResult
{
    int64_t start{0}; //!< of the first worker's backward
    int64_t end{0};   //!< of the last worker's update
    int64_t workerSum{0};
    uint32_t workersStarted{0};
    uint32_t workersDone{0};
    JctParts parts; //!< of the last worker
};

/**
 * \ingroup ina-cluster
 * A data-parallel training job: workers with a model profile that iterate in step through their all-reduces.
 */
class TrainingJob : public Object
{
  public:
    static TypeId GetTypeId();

    /// What a job shares with the run.
    struct Setup
    {
        ina::JobId id{0};
        JobScenario scenario;
        uint32_t valuesPerFragment{0}; //!< on the wire
        uint64_t lineRate_bps{0};
        uint64_t seed{0}; //!< of the gradients
        const ina::numeric::SyntheticTable* table{nullptr};
    };

    void Configure(const Setup& setup);

    /** The sink of the transport of worker `rank`, which must then be installed. */
    TrainingWorker& Worker(uint16_t rank);

    int64_t AssignStreams(int64_t stream);
    void Start();

    ina::JobId Id() const
    {
        return m_setup.id;
    }
    const JobScenario& Scenario() const
    {
        return m_setup.scenario;
    }
    const PartitionPlan& Plan() const
    {
        return *m_plan;
    }
    bool Done() const;
    int64_t StartedAt() const;
    const std::vector<IterationResult>& Iterations() const
    {
        return m_iterations;
    }
    uint64_t FragmentsDone() const;
    uint64_t FragmentsInAll() const;

  private:
    friend class TrainingWorker;

    void WorkerStarted(uint32_t iteration, int64_t now);
    void WorkerEnded(uint16_t rank, uint32_t iteration, int64_t start, int64_t now, const JctParts& parts);
    void PartitionSubmitted(uint32_t iteration, std::size_t partition, int64_t now);
    int64_t LastSubmit(uint32_t iteration, std::size_t partition) const;

    Setup m_setup;
    std::unique_ptr<PartitionPlan> m_plan;
    uint64_t m_key{0}; //!< of the synthetic gradients
    ina::numeric::SyntheticGradient m_sum;
    std::vector<std::unique_ptr<TrainingWorker>> m_workers;
    Ptr<UniformRandomVariable> m_startRandom;
    std::vector<IterationResult> m_iterations;
    std::vector<int64_t> m_lastSubmit[2]; //!< by the iteration's parity and the partition

    TracedCallback<uint16_t, uint32_t> m_iterationStartTrace;
    TracedCallback<uint16_t, uint32_t, Time> m_iterationEndTrace;
};

} // namespace ns3

#endif // INA_TRAINING_JOB_H
