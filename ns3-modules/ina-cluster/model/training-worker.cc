/* SPDX-License-Identifier: GPL-2.0-only */
#include "training-worker.h"

#include "scenarios/reader/proof_violation.hpp"
#include "training-job.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace ns3
{

using namespace ina::scenarios;

NS_LOG_COMPONENT_DEFINE("InaTrainingWorker");

namespace
{

constexpr uint32_t REMEMBERED_ITERATIONS = 2;

} // namespace

int64_t
DrawSteps(UniformRandomVariable& random, const Time& min, const Time& max)
{
    if (min == max)
    {
        return min.GetTimeStep();
    }
    return std::llround(random.GetValue(static_cast<double>(min.GetTimeStep()),
                                        static_cast<double>(max.GetTimeStep())));
}

TrainingWorker::TrainingWorker(TrainingJob& job, uint16_t rank) :
    m_job(job),
    m_rank(rank),
    m_random(CreateObject<UniformRandomVariable>()),
    m_estimates(estimates_of(job.Profile(), job.m_setup.lineRate_bps, job.m_setup.remainingTime)),
    m_proved(job.Plan().fragments_per_iteration() * REMEMBERED_ITERATIONS)
{
}

void
TrainingWorker::Install(const Ptr<InaWorkerApplication>& application)
{
    m_application = application;
}

void
TrainingWorker::AssignStream(int64_t stream)
{
    m_random->SetStream(stream);
}

std::optional<ina::Psn>
TrainingWorker::FirstMissing() const
{
    const uint32_t perIteration = m_job.Plan().fragments_per_iteration();
    for (uint32_t fragment = 0; !Done() && fragment < perIteration; ++fragment)
    {
        const ina::Psn psn = m_firstPsn + fragment;
        if (!m_proved.contains(psn))
        {
            return psn;
        }
    }
    return std::nullopt;
}

InaWorkerApplication&
TrainingWorker::Application() const
{
    return *m_application;
}

bool
TrainingWorker::Done() const
{
    return m_iteration == m_job.IterationCount();
}

int64_t
TrainingWorker::ComputeSteps(int64_t ps) const
{
    const auto& ofWorkers = m_job.m_setup.computeTimeFactors;
    if (ofWorkers.empty())
    {
        return ps;
    }
    const std::vector<double>& factors = ofWorkers[m_rank % ofWorkers.size()];
    return std::llround(static_cast<double>(ps) * factors[m_iteration % factors.size()]);
}

int64_t
TrainingWorker::DrawJitter()
{
    return DrawSteps(*m_random, m_job.m_jitterMin, m_job.m_jitterMax);
}

void
TrainingWorker::Begin(uint32_t iteration, int64_t startTs)
{
    const uint32_t perIteration = m_job.Plan().fragments_per_iteration();
    m_gradient = ina::numeric::synthetic_gradient(m_job.m_seed, m_rank);
    m_iteration = iteration;
    m_firstPsn = 0;
    m_fragmentsDone = uint64_t{iteration} * perIteration;
    m_proved = ina::RecentPsnSet(perIteration * REMEMBERED_ITERATIONS);
    m_application->At(startTs, [this](int64_t ts) { StartIteration(ts); });
}

void
TrainingWorker::StartIteration(int64_t now)
{
    const JitterPer per = m_job.m_jitterPer;
    const auto& layers = m_job.Profile().layers;
    NS_LOG_INFO("job " << m_job.Id() << " worker " << m_rank << " begins iteration "
                       << m_iteration);
    m_iterationStart = now;
    m_attributedUntil = now;
    m_parts = JctParts{};
    m_nextForward = 0;
    m_partitionsMissing.assign(layers.size(), 0);
    m_job.WorkerStarted(m_iteration, now);
    if (m_workerJitter < 0)
    {
        m_workerJitter = per == JitterPer::worker ? DrawJitter() : 0;
    }
    m_iterationJitter = per == JitterPer::iteration ? DrawJitter() : 0;

    std::vector<int64_t> readyAt(layers.size());
    int64_t elapsed = 0;
    for (std::size_t layer = layers.size(); layer-- > 0;)
    {
        elapsed += ComputeSteps(layers[layer].backward_ps);
        readyAt[layer] = elapsed;
    }
    m_computing = true;
    m_application->At(now + elapsed, [this](int64_t ts) { BackwardDone(ts); });

    const auto& partitions = m_job.Plan().partitions();
    for (std::size_t i = 0; i < partitions.size(); ++i)
    {
        const int64_t jitter =
            per == JitterPer::partition ? DrawJitter() : m_workerJitter + m_iterationJitter;
        ++m_partitionsMissing[partitions[i].layer];
        m_application->At(now + readyAt[partitions[i].layer] + jitter,
                          [this, i](int64_t ts) { Submit(i, ts); });
    }
}

void
TrainingWorker::BackwardDone(int64_t now)
{
    m_computing = false;
    m_parts.compute += now - m_attributedUntil;
    m_attributedUntil = now;
    TryForward(now);
}

void
TrainingWorker::Submit(std::size_t partition, int64_t now)
{
    const PlannedPartition& planned = m_job.Plan().partitions()[partition];
    m_job.PartitionSubmitted(m_iteration, partition, now);
    ina::Tensor tensor;
    tensor.first_psn = m_firstPsn + planned.first_fragment;
    tensor.fragments = planned.fragments;
    tensor.priority =
        m_estimates.priority(planned.layer, ina::Time(m_iterationStart), ina::Time(now));
    tensor.everyone_has_before = m_firstPsn;
    tensor.source = this;
    tensor.exponent_lead = planned.exponent_lead;
    NS_LOG_LOGIC("job " << m_job.Id() << " worker " << m_rank << " hands in partition " << partition
                        << " of layer " << planned.layer << ": " << planned.fragments
                        << " fragments from PSN " << tensor.first_psn << ", priority "
                        << tensor.priority.at(ina::Time(now)));
    m_application->Submit(tensor, now);
}

void
TrainingWorker::read(ina::Psn psn, std::span<int32_t> out) const
{
    Generate(psn, out);
    if (Overflows(psn))
    {
        out.front() = std::numeric_limits<int32_t>::max();
    }
}

void
TrainingWorker::read_floats(ina::Psn psn, std::span<float> out) const
{
    std::vector<int32_t> integers(out.size());
    Generate(psn, integers);
    std::ranges::transform(integers,
                           out.begin(),
                           [](int32_t value) { return static_cast<float>(value); });
}

ina::numeric::ExponentCode
TrainingWorker::exponent(ina::Psn psn) const
{
    return m_job.m_blocks->exponent(m_rank, psn);
}

void
TrainingWorker::read_block(ina::Psn psn,
                           ina::numeric::ExponentCode agreed,
                           std::span<int32_t> out) const
{
    m_job.m_blocks->read(m_rank, psn, agreed, out);
}

bool
TrainingWorker::Overflows(ina::Psn psn) const
{
    const double share = m_job.m_setup.overflow;
    if (share == 0)
    {
        return false;
    }
    return static_cast<double>(ina::numeric::synthetic_key(m_job.m_key ^ psn)) < share * 0x1p64;
}

void
TrainingWorker::Generate(ina::Psn psn, std::span<int32_t> out) const
{
    ina::numeric::generate(*m_job.m_setup.table,
                           m_gradient,
                           m_job.m_key,
                           psn,
                           out.data(),
                           out.size());
}

void
TrainingWorker::fragment_complete(const ina::Frame& result, bool resent, ina::Time now)
{
    Prove(result);
    ++m_fragmentsDone;
    if (!m_computing)
    {
        Attribute(result, resent, now.count());
    }
}

void
TrainingWorker::Prove(const ina::Frame& result)
{
    const bool expected = result.psn - m_firstPsn < m_job.Plan().fragments_per_iteration();
    if (!expected || !m_proved.insert(result.psn) ||
        result.values.size() != m_job.m_setup.carriedValues) [[unlikely]]
    {
        RefuteDelivery(result, expected);
    }
    if (Overflows(result.psn)) [[unlikely]]
    {
        ProveFloatSum(result);
    }
    else if (m_job.m_blocks) [[unlikely]]
    {
        ProveBlock(result);
    }
    else
    {
        ProveSum(result, m_job.m_sum);
    }
}

void
TrainingWorker::ProveSum(const ina::Frame& result, ina::numeric::SyntheticGradient sum) const
{
    if (const auto difference = ina::numeric::first_difference(*m_job.m_setup.table,
                                                               sum,
                                                               m_job.m_key,
                                                               result.psn,
                                                               result.values.data(),
                                                               result.values.size()))
    {
        RefuteSum(result, sum, *difference);
    }
}

/// Exact as well: every worker quantised by the largest exponent of all, which loses nothing of
/// these values.
void
TrainingWorker::ProveBlock(const ina::Frame& result) const
{
    const uint32_t fragment = result.psn - m_firstPsn;
    const auto& partition = m_job.Plan().partitions()[m_job.Plan().partition_of(fragment)];
    const bool carriesValues = fragment - partition.first_fragment >= partition.exponent_lead;
    const auto largest =
        carriesValues ? m_job.m_blocks->largest(result.psn) : ina::numeric::ExponentCode{0};
    if (result.exponents != largest)
    {
        Refute(result.psn,
               fmt::format("quantised by the exponent {}, but the workers' largest is {}",
                           result.exponents,
                           largest));
    }
    ProveSum(result,
             carriesValues ? m_job.m_blocks->sum(result.psn) : ina::numeric::SyntheticGradient{});
}

void
TrainingWorker::Refute(ina::Psn psn, const std::string& what) const
{
    throw ProofViolation(
        fmt::format("job {}, worker {}, PSN {}: {}", m_job.Id(), m_rank, psn, what));
}

void
TrainingWorker::RefuteDelivery(const ina::Frame& result, bool expected) const
{
    if (!expected)
    {
        Refute(result.psn, fmt::format("a result outside of iteration {}", m_iteration));
    }
    if (result.values.size() != m_job.m_setup.carriedValues)
    {
        Refute(result.psn,
               fmt::format("{} values instead of {}",
                           result.values.size(),
                           m_job.m_setup.carriedValues));
    }
    Refute(result.psn, "the result was delivered twice");
}

void
TrainingWorker::RefuteSum(const ina::Frame& result,
                          ina::numeric::SyntheticGradient sum,
                          std::size_t index) const
{
    Refute(result.psn,
           fmt::format("value {} is {}, but the workers' sum is {}",
                       index,
                       result.values.data()[index],
                       ina::numeric::synthetic_value(*m_job.m_setup.table,
                                                     sum,
                                                     m_job.m_key,
                                                     result.psn,
                                                     index)));
}

/// The sum of integers is exact in double, so that of floats is rounded once.
void
TrainingWorker::ProveFloatSum(const ina::Frame& result) const
{
    if (!result.has(ina::flag::floats))
    {
        Refute(result.psn, "integers, but their sum overflowed");
    }
    for (std::size_t i = 0; i < result.values.size(); ++i)
    {
        const auto value = std::bit_cast<float>(result.values.data()[i]);
        const auto sum = static_cast<float>(ina::numeric::synthetic_value(*m_job.m_setup.table,
                                                                          m_job.m_sum,
                                                                          m_job.m_key,
                                                                          result.psn,
                                                                          i));
        if (value != sum)
        {
            Refute(result.psn,
                   fmt::format("value {} is {} as a float, but the workers' sum is {}",
                               i,
                               value,
                               sum));
        }
    }
}

void
TrainingWorker::Attribute(const ina::Frame& result, bool resent, int64_t now)
{
    if (m_resultSteps == 0)
    {
        m_resultSteps = m_application->Device().SerialisationSteps(result.bytes);
    }
    const int64_t gapStart = m_attributedUntil;
    const int64_t gap = now - gapStart;
    m_attributedUntil = now;
    const int64_t serialisation = std::min(gap, m_resultSteps);
    m_parts.serialisation += serialisation;
    int64_t rest = gap - serialisation;
    if (rest == 0)
    {
        return;
    }
    const uint32_t fragment = result.psn - m_firstPsn;
    const int64_t handedIn = m_job.LastSubmit(m_iteration, m_job.Plan().partition_of(fragment));
    const int64_t straggler = std::clamp<int64_t>(handedIn - gapStart, 0, rest);
    m_parts.straggler += straggler;
    rest -= straggler;
    const ina::WorkerTransport& transport = m_application->Transport();
    if (resent || result.has(ina::flag::resend))
    {
        m_parts.recovery += rest;
    }
    else if (result.has(ina::flag::collision))
    {
        m_parts.fallback += rest;
    }
    else if (transport.in_flight() + 1 >= transport.window())
    {
        m_parts.slot_wait += rest;
    }
    else
    {
        m_parts.queueing += rest;
    }
}

void
TrainingWorker::tensor_complete(ina::Psn firstPsn, ina::Time now)
{
    const uint32_t fragment = firstPsn - m_firstPsn;
    const uint32_t layer = m_job.Plan().partitions()[m_job.Plan().partition_of(fragment)].layer;
    if (--m_partitionsMissing[layer] == 0)
    {
        TryForward(now.count());
    }
}

void
TrainingWorker::TryForward(int64_t now)
{
    if (m_computing || m_partitionsMissing[m_nextForward] != 0)
    {
        return;
    }
    m_parts.queueing += now - m_attributedUntil;
    m_attributedUntil = now;
    m_computing = true;
    NS_LOG_LOGIC("job " << m_job.Id() << " worker " << m_rank << " computes forward of layer "
                        << m_nextForward);
    const int64_t steps = ComputeSteps(m_job.Profile().layers[m_nextForward].forward_ps);
    m_application->At(now + steps, [this](int64_t ts) { ForwardDone(ts); });
}

void
TrainingWorker::ForwardDone(int64_t now)
{
    m_computing = false;
    m_parts.compute += now - m_attributedUntil;
    m_attributedUntil = now;
    if (++m_nextForward == m_partitionsMissing.size())
    {
        EndIteration(now);
    }
    else
    {
        TryForward(now);
    }
}

void
TrainingWorker::EndIteration(int64_t now)
{
    m_estimates.update(ina::Time(now - m_iterationStart), ina::Time(m_parts.compute));
    m_job.WorkerEnded(m_rank, m_iteration, m_iterationStart, now, m_parts);
    ++m_iteration;
    m_firstPsn += m_job.Plan().fragments_per_iteration();
    if (!Done())
    {
        StartIteration(now);
    }
}

} // namespace ns3
