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

/** A layer that a worker computes. */
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

/** Something that happens to a partition at a worker. */
struct InaPartitionEvent
{
    uint16_t job;
    uint16_t rank;
    uint32_t iteration;
    uint32_t partition; //!< index in the order of sending
    uint32_t layer;     //!< from 0, the front
    uint32_t number;    //!< of the partition within its layer, from 1, as in a profile's send_order
    Time at;
};

/**
 * \ingroup ina-cluster
 * A data-parallel training job: workers with a model profile that iterate in step through their
 * all-reduces.
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
     * TracedCallback signature of what workers compute.
     *
     * \param [in] time Which layer, from when to when.
     */
    typedef void (*ComputesTracedCallback)(const InaLayerTime& time);
    /**
     * TracedCallback signature of partitions.
     *
     * \param [in] event Which partition, and when.
     */
    typedef void (*PartitionTracedCallback)(const InaPartitionEvent& event);

    /// The job, and what it shares with the run.
    struct Setup
    {
        ina::cluster::JobSpec job;
        uint64_t seed{1};             //!< by which its workers draw their jitter
        std::size_t carriedValues{0}; //!< of each fragment, in simulated frames
        bool inBlocks{false};         //!< whether exponents of block floating point go ahead
        double overflow{0.0};         //!< share of fragments that have to be collected as floats
        const ina::numeric::SyntheticTable* table{nullptr};
        /// Number of each partition within its layer, from 1, as in a profile's send_order.
        std::vector<uint32_t> partitionNumbers;
    };

    /** Makes the workers; once. */
    void Configure(const Setup& setup);

    /** The sink of the transport of worker `rank`, which must then be installed. */
    InaTrainingWorker& GetWorker(uint16_t rank);

    /** Gives the gradients the seed of the registration with this id, for all that the workers
     * begin from now on. */
    void SetGradientsOf(ina::JobId id);
    /** Its workers handle frames when the simulator's clock is there, so that it is right in what
     * they call. So it is once a sink is connected to a trace source of the job. */
    void KeepToClock();

    bool
    KeepsToClock() const
    {
        return m_keepsToClock;
    }

    /** Whether its workers wait for nothing but frames. */
    bool IsIdle() const;

    /** Schedules the start of every worker; once, after their applications were installed. */
    void Start();
    /**
     * Begins again with the iteration that not all workers have ended, from PSN 0, at time step
     * `ts` or when the job starts; after their applications were installed again.
     */
    void Repeat(uint32_t iteration, int64_t ts);

    /** Its number in the cluster, from 0; InaControlPlane::GetId() has its id in frames. */
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
    /** The name of the model's profile. */
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
    /** Of the workers' links, by rank. */
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
    /** Iterations that all workers have ended. */
    uint32_t GetIterationsDone() const;
    /** Who takes an iteration when all workers have ended it; they come in order. The job itself
     * forgets them, for there may be very many. The simulator's clock may lag behind, unless
     * KeepsToClock(). */
    using IterationSink =
        std::function<void(uint32_t iteration, const ina::cluster::JobIteration& result)>;
    void
    SetIterationSink(IterationSink sink)
    {
        m_iterationSink = std::move(sink);
    }
    /** Who is called when a worker has ended an iteration, at time step `ts`. The clock as there.
     */
    using WorkerSink = std::function<void(uint16_t rank, int64_t ts)>;
    void
    SetWorkerSink(WorkerSink sink)
    {
        m_workerSink = std::move(sink);
    }
    /** Of the first iteration; nothing if it did not begin. */
    std::optional<Time> GetStart() const;
    uint64_t GetFragmentsDone() const;
    uint64_t GetFragmentsInAll() const;

  private:
    friend class InaTrainingWorker;

    void WorkerStarted(uint32_t iteration, int64_t now);
    void WorkerEnded(uint16_t rank, uint32_t iteration, const ina::cluster::WorkerIteration& ended);
    void PartitionSubmitted(uint16_t rank, uint32_t iteration, std::size_t partition, int64_t now);
    InaPartitionEvent EventOf(uint16_t rank,
                              uint32_t iteration,
                              std::size_t partition,
                              int64_t now) const;
    int64_t LastSubmit(uint32_t iteration, std::size_t partition) const;

    ina::cluster::JobSpec m_job;
    std::vector<uint32_t> m_numbers; //!< of partitions within their layers
    std::unique_ptr<ina::cluster::JobGradients> m_gradients;
    std::vector<std::unique_ptr<InaTrainingWorker>> m_workers;
    int64_t m_startTs{0};
    ina::cluster::JobIterations m_iterations{0}; //!< of no workers until Configure()
    IterationSink m_iterationSink;
    WorkerSink m_workerSink;
    bool m_keepsToClock{false};           //!< whoever is told of its workers looks at the clock
    std::vector<int64_t> m_lastSubmit[2]; //!< by the iteration's parity and the partition

    TracedCallback<uint16_t, uint32_t> m_iterationStartTrace;
    TracedCallback<uint16_t, uint32_t, Time> m_iterationEndTrace;
    TracedCallback<const InaLayerTime&> m_computesTrace;
    TracedCallback<const InaPartitionEvent&> m_partitionSubmittedTrace;
    TracedCallback<const InaPartitionEvent&> m_partitionCompletedTrace;
};

} // namespace ns3

#endif // INA_TRAINING_JOB_H
