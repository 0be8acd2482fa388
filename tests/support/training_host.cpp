// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/training_host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "hw/cluster/training/verification_error.hpp"

namespace ina::testing {

namespace {

/// Slow enough that priorities under DSA differ.
constexpr std::uint64_t kLineRateBps = 1'000'000'000;
constexpr std::size_t kTensorsOfALayer = 2;

/// The table of all synthetic gradients in tests.
const numeric::SyntheticTable& synthetic_table() {
  static const numeric::SyntheticTable instance;
  return instance;
}

/// PSNs follow the order of the backward pass: the tensors of the last layer come first.
cluster::TrainingPlan training_plan(const JobPlan& plan) {
  cluster::TrainingPlan training;
  training.iterations = plan.iterations;
  training.layers.resize((plan.tensors.size() + kTensorsOfALayer - 1) / kTensorsOfALayer);
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
    const std::size_t layer = (plan.tensors.size() - 1 - i) / kTensorsOfALayer;
    training.partitions.add(static_cast<std::uint32_t>(layer), plan.tensors[i],
                            plan.exponent_slots);
    training.layers[layer].parameters += plan.tensors[i] * wire::kFragmentValues;
  }
  for (cluster::LayerProfile& layer : training.layers) {
    layer.forward_ps = plan.compute.count() / 2;
    layer.backward_ps = plan.compute.count() / 2;
  }
  training.jitter_high = plan.compute + (plan.straggler_percent == 0 ? Time{} : plan.straggle);
  training.jitter_per =
      plan.any_order ? cluster::JitterPer::partition : cluster::JitterPer::iteration;
  training.line_rates_bps = {kLineRateBps};
  return training;
}

}  // namespace

JobInTraining::JobInTraining(const JobPlan& plan, JobId id, std::uint64_t seed, std::size_t width)
    : plan(plan),
      id(id),
      seed(seed),
      training(training_plan(plan)),
      gradients(synthetic_table(), training.partitions,
                {.job = id,
                 .workers = plan.workers,
                 .carried_values = width,
                 .in_blocks = plan.exponent_slots != 0},
                seed),
      overflow(seed, plan.overflow_percent) {}

TrainingHost::TrainingHost(const JobInTraining& job, std::uint16_t rank, Random& random,
                           const MakeTransport& make)
    : job_(job),
      rank_(rank),
      random_(random),
      overflowing_(job.overflow, rank),
      worker_(job.training, job.gradients, *this, rank),
      transport_(make(*this)) {}

void TrainingHost::expire(Time now) {
  if (transport_->deadline() <= now) transport_->expire(now);
  worker_.advance(now);
}

void TrainingHost::submit(const Tensor& tensor, Time now) {
  overflowing_.loop = tensor.source;
  Tensor submitted = tensor;
  if (job_.plan.overflow_percent != 0) submitted.source = &overflowing_;
  transport_->submit(submitted, now);
}

Time TrainingHost::serialisation(std::uint32_t bytes) const {
  return serialisation_time(bytes, kLineRateBps);
}

Time TrainingHost::draw(Time low, Time high) {
  const bool straggles = random_.percent(job_.plan.straggler_percent);
  return random_.between(low, straggles ? high : job_.plan.compute);
}

/// The loop throws if a result is wrong. The exception must not pass through the transport, because
/// other workers may still have to finish.
void TrainingHost::fragment_complete(const Frame& result, const Delivery& delivery, Time now) {
  try {
    const bool overflows = job_.overflow.strikes(result.psn);
    worker_.fragment_complete(overflows ? without_overflow(result) : result, delivery, now);
  } catch (const cluster::VerificationError& error) {
    if (complaint_.empty()) complaint_ = error.what();
  }
}

/// Received integers must be exact, received floats must be the rounded exact sum. Either may
/// arrive, depending on the order of additions, unless the sum does not fit into an integer.
Frame TrainingHost::without_overflow(const Frame& result) const {
  Frame plain = result;
  plain.clear(flag::floats);
  plain.values = std::move(plain.values).into_unique();
  const std::span<std::int32_t> sums(plain.values.data(), plain.values.size());
  numeric::generate(synthetic_table(), numeric::synthetic_sum(job_.seed, job_.plan.workers),
                    numeric::synthetic_key(job_.seed), result.psn, sums.data(), sums.size());
  const std::size_t place = job_.overflow.place(result.psn, sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double sum = i == place ? job_.overflow.sum(result.psn, job_.plan.workers) : sums[i];
    const std::int32_t bits = result.values.data()[i];
    const bool right = result.has(flag::floats)
                           ? std::bit_cast<float>(bits) == static_cast<float>(sum)
                           : bits == sum;
    if (!right) {
      job_.gradients.fail(rank_, result.psn,
                          fmt::format("value {} is not the workers' sum {}", i, sum));
    }
  }
  return plain;
}

void TrainingHost::Overflowing::read(Psn psn, std::span<std::int32_t> out) const {
  loop->read(psn, out);
  if (overflow_.strikes(psn)) {
    out[overflow_.place(psn, out.size())] = overflow_.quantised(psn, rank_);
  }
}

void TrainingHost::Overflowing::read_floats(Psn psn, std::span<float> out) const {
  loop->read_floats(psn, out);
  if (overflow_.strikes(psn)) {
    out[overflow_.place(psn, out.size())] = static_cast<float>(overflow_.contribution(psn, rank_));
  }
}

std::string TrainingHost::verdict(AtTheEnd at_the_end) const {
  if (!complaint_.empty()) return complaint_;
  const std::string me = fmt::format("job {} worker {}", job_.id, rank_);
  if (!worker_.done()) return fmt::format("{} is in iteration {}", me, worker_.iteration());
  const std::uint64_t fragments =
      std::uint64_t{job_.training.partitions.fragments_per_iteration()} * job_.plan.iterations;
  if (worker_.fragments_done() != fragments) {
    return fmt::format("{} got {} of {} fragments", me, worker_.fragments_done(), fragments);
  }
  if (at_the_end == AtTheEnd::acknowledgements_may_be_missing) return {};
  if (transport_->in_flight() != 0) return me + " still has packets in flight";
  if (deadline() != kNever) return me + " still waits for something";
  return {};
}

}  // namespace ina::testing
