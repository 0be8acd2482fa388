/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_TRAINING_WORKER_H
#define INA_TRAINING_WORKER_H

#include "scenarios/reader/jct_parts.hpp"
#include "scenarios/reader/partition_plan.hpp"
#include "scenarios/reader/priority_estimates.hpp"

#include "hw/protocol/numeric/synthetic_tensor.hpp"
#include "hw/protocol/server/psn_set.hpp"
#include "hw/protocol/transport/worker_transport.hpp"

#include "ns3/ina-worker-application.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

#include <optional>
#include <vector>

namespace ns3
{

class TrainingJob;

/** A random or fixed time, in time steps; nothing is drawn if `min` equals `max`. */
int64_t DrawSteps(UniformRandomVariable& random, const Time& min, const Time& max);

/**
 * \ingroup ina-cluster
 * One worker of a training job: computes backward from the back layer to the front, hands in each
 * partition when its layer's gradient is ready (and its jitter is over), and computes the next
 * forward of a layer when its results are in and the layer before is done. Proves every result:
 * exactly once, and equal to the exact sum.
 */
class TrainingWorker : public ina::ResultSink, private ina::GradientSource
{
  public:
    TrainingWorker(TrainingJob& job, uint16_t rank);

    void Install(const Ptr<InaWorkerApplication>& application);
    void AssignStream(int64_t stream);
    /**
     * Begins iteration `iteration` at time step `startTs`, from PSN 0, with the gradients that the
     * job has now. What it did before has no effect on what it does from now on.
     */
    void Begin(uint32_t iteration, int64_t startTs);

    bool Done() const;
    /** The present iteration: so many it has ended. */
    uint32_t
    Iteration() const
    {
        return m_iteration;
    }
    InaWorkerApplication& Application() const;
    uint64_t
    FragmentsDone() const
    {
        return m_fragmentsDone;
    }

    /** The first result of the present iteration that this worker does not have. */
    std::optional<ina::Psn> FirstMissing() const;

    void fragment_complete(const ina::Frame& result, bool resent, ina::Time now) override;
    void tensor_complete(ina::Psn firstPsn, ina::Time now) override;

  private:
    void read(ina::Psn psn, std::span<int32_t> out) const override;
    void read_floats(ina::Psn psn, std::span<float> out) const override;
    ina::numeric::ExponentCode exponent(ina::Psn psn) const override;
    void read_block(ina::Psn psn,
                    ina::numeric::ExponentCode agreed,
                    std::span<int32_t> out) const override;
    /** Of the fragment without what overflows. */
    void Generate(ina::Psn psn, std::span<int32_t> out) const;
    /** Whether the fragment's first value is beyond the integers, with every worker. */
    bool Overflows(ina::Psn psn) const;

    // All with the time step of the event.
    void StartIteration(int64_t now);
    void BackwardDone(int64_t now);
    void Submit(std::size_t partition, int64_t now);
    void TryForward(int64_t now);
    void ForwardDone(int64_t now);
    void EndIteration(int64_t now);

    int64_t ComputeSteps(int64_t ps) const;
    int64_t DrawJitter();
    void Prove(const ina::Frame& result);
    void ProveFloatSum(const ina::Frame& result) const;
    void ProveBlock(const ina::Frame& result) const;
    [[noreturn, gnu::cold]] void Refute(ina::Psn psn, const std::string& what) const;
    [[noreturn, gnu::cold]] void RefuteDelivery(const ina::Frame& result, bool expected) const;
    void ProveSum(const ina::Frame& result, ina::numeric::SyntheticGradient sum) const;
    [[noreturn, gnu::cold]] void RefuteSum(const ina::Frame& result,
                                           ina::numeric::SyntheticGradient sum,
                                           std::size_t index) const;
    void Attribute(const ina::Frame& result, bool resent, int64_t now);

    TrainingJob& m_job;
    uint16_t m_rank;
    Ptr<InaWorkerApplication> m_application;
    Ptr<UniformRandomVariable> m_random;
    ina::numeric::SyntheticGradient m_gradient;

    uint32_t m_iteration{0};
    ina::Psn m_firstPsn{0}; //!< of the present iteration
    bool m_computing{false};
    std::size_t m_nextForward{0};              //!< layer
    std::vector<uint32_t> m_partitionsMissing; //!< of each layer, in this iteration
    int64_t m_iterationStart{0};
    int64_t m_workerJitter{-1}; //!< drawn once, if jitter is per worker
    int64_t m_iterationJitter{0};
    ina::PriorityEstimates m_estimates;

    int64_t m_attributedUntil{0};
    int64_t m_resultSteps{0}; //!< serialisation of a result
    ina::scenarios::JctParts m_parts;

    ina::RecentPsnSet m_proved;
    uint64_t m_fragmentsDone{0};
};

} // namespace ns3

#endif // INA_TRAINING_WORKER_H
