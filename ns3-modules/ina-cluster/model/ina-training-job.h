/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_TRAINING_JOB_H
#define INA_TRAINING_JOB_H

#include "ina-training-worker.h"

#include "hw/cluster/spec/spec.hpp"
#include "hw/cluster/training/job_iterations.hpp"
#include "hw/cluster/training/training_worker.hpp"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/** Computation of one layer by a worker. */
struct InaLayerTime
{
    uint16_t job;
    uint16_t rank;
    uint32_t iteration;
    ina::cluster::Pass pass;
    uint32_t layer;
    Time begin;
    Time end;
};

/** An event of a partition at a worker. */
struct InaPartitionEvent
{
    uint16_t job;
    uint16_t rank;
    uint32_t iteration;
    uint32_t partition; //!< index in sending order
    uint32_t layer;     //!< index; 0 is the front layer
    uint32_t number;    //!< number within its layer, from 1, as in send_order of profiles
    Time at;
};

/**
 * \ingroup ina-cluster
 * A data-parallel training job. All workers have the same model profile. They stay in step because
 * each iteration needs the results of all-reduces.
 */
class InaTrainingJob : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * TracedCallback signature of the start of an iteration.
     *
     * \param [in] job The job.
     * \param [in] iteration The iteration, from 0.
     */
    typedef void (*IterationStartTracedCallback)(uint16_t job, uint32_t iteration);
    /**
     * TracedCallback signature of the end of an iteration.
     *
     * \param [in] job The job.
     * \param [in] iteration The iteration, from 0.
     * \param [in] completion Time from the first worker's start to the last worker's end.
     */
    typedef void (*IterationEndTracedCallback)(uint16_t job, uint32_t iteration, Time completion);

    /**
     * TracedCallback signature of the computation of a layer.
     *
     * \param [in] time Layer, start and end.
     */
    typedef void (*ComputesTracedCallback)(const InaLayerTime& time);
    /**
     * TracedCallback signature of events of a partition at a worker.
     *
     * \param [in] event Partition and time.
     */
    typedef void (*PartitionTracedCallback)(const InaPartitionEvent& event);

    /// The job and the state that it shares with the run.
    struct Setup
    {
        ina::cluster::JobSpec job;
        uint64_t seed{1};             //!< seed of the workers' jitter
        std::size_t carriedValues{0}; //!< number of values in a simulated frame
        bool inBlocks{false};         //!< block floating point: exponents are sent first
        double overflow{0.0};         //!< share of fragments that overflow, sent as floats
        const ina::numeric::SyntheticTable* table{nullptr};
        /// Number of each partition within its layer, from 1, as in send_order of profiles.
        std::vector<uint32_t> partitionNumbers;
    };

    /** Creates the workers. Call this once. */
    void Configure(const Setup& setup);

    /** The worker `rank`, which is the result sink of its transport. */
    InaTrainingWorker& GetWorker(uint16_t rank);

    /** Sets the job's id. All partitions that workers begin from now on have the gradients of the
     * registration with this id. */
    void SetGradientsOf(ina::JobId id);
    /** Makes workers handle frames when the simulator's clock shows their time, not ahead of it.
     * Callbacks then see the right time. Connecting a sink to any trace source of the job has the
     * same effect. */
    void KeepToClock();

    bool
    KeepsToClock() const
    {
        return m_keepsToClock;
    }

    /** Whether the workers do nothing until a frame arrives. */
    bool IsIdle() const;

    /** Schedules the start of every worker. Call this once, after the applications of all workers
     * were installed. */
    void Start();
    /**
     * Restarts at PSN 0 of `iteration`, which some worker has not ended. Begins at `at`, or at the
     * job's start if that is later. Call this after the applications were reinstalled.
     */
    void Repeat(uint32_t iteration, const Time& at);

    /** Number of the job, from 0. Its id in frames is InaControlPlane::GetId(). */
    uint16_t
    GetNumber() const
    {
        return m_job.number;
    }
    uint32_t
    GetNWorkers() const
    {
        return static_cast<uint32_t>(m_workers.size());
    }
    /** Name of the model's profile. */
    const std::string&
    GetProfileName() const
    {
        return m_job.profile;
    }
    const std::vector<ina::cluster::LayerProfile>&
    GetLayers() const
    {
        return m_job.training.layers;
    }
    /** Rates of the workers' links, by rank. */
    const std::vector<uint64_t>&
    GetLineRates() const
    {
        return m_job.training.line_rates_bps;
    }
    uint32_t
    GetIterationCount() const
    {
        return m_job.training.iterations;
    }
    const ina::cluster::PartitionPlan&
    GetPartitions() const
    {
        return m_job.training.partitions;
    }
    /** Number of iterations that all workers have ended. */
    uint32_t GetIterationsDone() const;
    /** Receives each iteration when all workers have ended it, in order. The job does not store
     * iterations, because there may be very many. The simulator's clock may lag behind, unless
     * KeepsToClock(). */
    using IterationSink =
        std::function<void(uint32_t iteration, const ina::cluster::JobIteration& result)>;
    void
    SetIterationSink(IterationSink sink)
    {
        m_iterationSink = std::move(sink);
    }
    /** Called when a worker has ended an iteration, at `at`. The simulator's clock may be earlier
     * than `at`, unless KeepsToClock(). */
    using WorkerSink = std::function<void(uint16_t rank, const Time& at)>;
    void
    SetWorkerSink(WorkerSink sink)
    {
        m_workerSink = std::move(sink);
    }
    /** Called when a worker has received a wrong result, with a message that names it. By default,
     * the program aborts with that message. */
    using FailureSink = std::function<void(const std::string& what)>;
    void
    SetFailureSink(FailureSink sink)
    {
        m_failureSink = std::move(sink);
    }
    /** Start of the first iteration; nothing if it has not begun. */
    std::optional<Time> GetStart() const;
    uint64_t GetFragmentsDone() const;
    uint64_t GetFragmentsInAll() const;

  private:
    friend class InaTrainingWorker;

    void Fail(const std::string& what) const;
    void WorkerStarted(uint32_t iteration, int64_t now);
    void WorkerEnded(uint16_t rank, uint32_t iteration, const ina::cluster::WorkerIteration& ended);
    void PartitionSubmitted(uint16_t rank, uint32_t iteration, std::size_t partition, int64_t now);
    InaPartitionEvent EventOf(uint16_t rank,
                              uint32_t iteration,
                              std::size_t partition,
                              int64_t now) const;
    int64_t LastSubmit(uint32_t iteration, std::size_t partition) const;

    ina::cluster::JobSpec m_job;
    std::vector<uint32_t> m_numbers; //!< number of each partition within its layer
    std::unique_ptr<ina::cluster::JobGradients> m_gradients;
    std::vector<std::unique_ptr<InaTrainingWorker>> m_workers;
    int64_t m_startTs{0};
    ina::cluster::JobIterations m_iterations{0}; //!< 0 workers until Configure()
    IterationSink m_iterationSink;
    WorkerSink m_workerSink;
    FailureSink m_failureSink;
    bool m_keepsToClock{false};           //!< whether workers must not run ahead
    std::vector<int64_t> m_lastSubmit[2]; //!< by iteration % 2, and partition

    TracedCallback<uint16_t, uint32_t> m_iterationStartTrace;
    TracedCallback<uint16_t, uint32_t, Time> m_iterationEndTrace;
    TracedCallback<const InaLayerTime&> m_computesTrace;
    TracedCallback<const InaPartitionEvent&> m_partitionSubmittedTrace;
    TracedCallback<const InaPartitionEvent&> m_partitionCompletedTrace;
};

} // namespace ns3

#endif // INA_TRAINING_JOB_H
