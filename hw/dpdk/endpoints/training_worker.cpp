// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/endpoints/training_worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ina::endpoints {

namespace {

constexpr std::uint32_t kRememberedIterations = 2;

}  // namespace

TrainingWorker::TrainingWorker(const Cluster& cluster, Seat seat)
    : plan_(cluster.jobs[seat.job].training),
      seat_(seat),
      gradient_(numeric::synthetic_gradient(plan_.seed, seat.rank)),
      sum_(numeric::synthetic_sum(
          plan_.seed, static_cast<std::uint32_t>(cluster.jobs[seat.job].workers.size()))),
      key_(numeric::synthetic_key(plan_.seed)),
      blocks_(table_, plan_.seed,
              static_cast<std::uint32_t>(cluster.jobs[seat.job].workers.size())),
      random_(plan_.seed ^ std::uint64_t{seat.rank} << 48),
      estimates_(plan_.model, cluster.line_rate_bps, cluster.remaining_time),
      proved_(plan_.fragments_per_iteration() * kRememberedIterations),
      worker_jitter_(draw_jitter()),
      partitions_missing_(plan_.layers.size()) {
  iterations_.reserve(plan_.iterations);
  hand_ins_.reserve(plan_.partitions.size());
}

Psn TrainingWorker::first_psn() const {
  return static_cast<Psn>(iterations_.size()) * plan_.fragments_per_iteration();
}

Time TrainingWorker::compute_time(Time nominal) const {
  if (plan_.compute_time_factors.empty()) return nominal;
  const std::vector<double>& factors =
      plan_.compute_time_factors[seat_.rank % plan_.compute_time_factors.size()];
  const double factor = factors[iterations_.size() % factors.size()];
  return Time(std::llround(static_cast<double>(nominal.count()) * factor));
}

Time TrainingWorker::draw_jitter() {
  return Time(
      std::uniform_int_distribution(plan_.jitter_low.count(), plan_.jitter_high.count())(random_));
}

// ---- by the clock

Time TrainingWorker::deadline() const {
  if (done()) return kNever;
  if (!started_) return plan_.start;
  const Time hand_in = next_hand_in_ < hand_ins_.size() ? hand_ins_[next_hand_in_].at : kNever;
  return computing_ ? std::min(hand_in, compute_end_) : hand_in;
}

void TrainingWorker::advance(WorkerTransport& transport, Time now) {
  if (done()) return;
  if (!started_ && now >= plan_.start) start_iteration(now);
  if (!started_) return;
  while (!done()) {
    hand_in(transport, now);
    if (computing_ && now < compute_end_) return;
    computing_ = false;
    try_forward(now);
    if (!computing_) return;
  }
}

void TrainingWorker::start_iteration(Time now) {
  started_ = true;
  start_ = now;
  computation_ = Time{};
  next_forward_ = 0;
  std::ranges::fill(partitions_missing_, 0);
  std::vector<Time> layer_ready(plan_.layers.size());
  Time elapsed{};
  for (std::size_t layer = plan_.layers.size(); layer-- > 0;) {
    elapsed += compute_time(plan_.layers[layer].backward);
    layer_ready[layer] = now + elapsed;
  }
  plan_hand_ins(layer_ready);
  compute_until(now + elapsed, now);
}

void TrainingWorker::plan_hand_ins(const std::vector<Time>& layer_ready) {
  const Time iteration_jitter =
      plan_.jitter_per == JitterPer::iteration ? draw_jitter() : worker_jitter_;
  hand_ins_.clear();
  next_hand_in_ = 0;
  for (std::size_t i = 0; i < plan_.partitions.size(); ++i) {
    const std::uint32_t layer = plan_.partitions[i].layer;
    const Time jitter = plan_.jitter_per == JitterPer::partition ? draw_jitter() : iteration_jitter;
    ++partitions_missing_[layer];
    hand_ins_.push_back({layer_ready[layer] + jitter, i});
  }
  std::ranges::stable_sort(hand_ins_, {}, &HandIn::at);
}

void TrainingWorker::hand_in(WorkerTransport& transport, Time now) {
  while (next_hand_in_ < hand_ins_.size() && hand_ins_[next_hand_in_].at <= now) {
    const auto& partition = plan_.partitions[hand_ins_[next_hand_in_++].partition];
    Tensor tensor;
    tensor.first_psn = first_psn() + partition.first_fragment;
    tensor.fragments = partition.fragments;
    tensor.priority = estimates_.priority(partition.layer, start_, now);
    tensor.everyone_has_before = first_psn();
    tensor.source = this;
    tensor.exponent_lead = partition.exponent_lead;
    transport.submit(tensor, now);
  }
}

void TrainingWorker::compute_until(Time end, Time now) {
  computing_ = true;
  compute_end_ = end;
  computation_ += end - now;
}

void TrainingWorker::try_forward(Time now) {
  if (next_forward_ == plan_.layers.size()) {
    end_iteration(now);
  } else if (partitions_missing_[next_forward_] == 0) {
    compute_until(now + compute_time(plan_.layers[next_forward_++].forward), now);
  }
}

void TrainingWorker::end_iteration(Time now) {
  estimates_.update(now - start_, computation_);
  iterations_.push_back({start_, now, computation_});
  if (!done()) start_iteration(now);
}

// ---- by results

void TrainingWorker::read(Psn psn, std::span<std::int32_t> out) const {
  numeric::generate(table_, gradient_, key_, psn, out.data(), out.size());
}

numeric::ExponentCode TrainingWorker::exponent(Psn psn) const {
  return blocks_.exponent(seat_.rank, psn);
}

void TrainingWorker::read_block(Psn psn, numeric::ExponentCode agreed,
                                std::span<std::int32_t> out) const {
  blocks_.read(seat_.rank, psn, agreed, out);
}

const TrainingPlan::Partition& TrainingWorker::partition_of(Psn fragment) const {
  return *std::prev(std::ranges::upper_bound(plan_.partitions, fragment, {},
                                             &TrainingPlan::Partition::first_fragment));
}

numeric::SyntheticGradient TrainingWorker::sum_of(const Frame& result) const {
  if (plan_.partitions.front().exponent_lead == 0) return sum_;
  const Psn fragment = result.psn - first_psn();
  const TrainingPlan::Partition& partition = partition_of(fragment);
  const bool carries_values = fragment - partition.first_fragment >= partition.exponent_lead;
  const auto largest = carries_values ? blocks_.largest(result.psn) : numeric::ExponentCode{0};
  if (result.exponents != largest) {
    fail(result.psn, fmt::format("quantised by the exponent {}, but the workers' largest is {}",
                                 result.exponents, largest));
  }
  return carries_values ? blocks_.sum(result.psn) : numeric::SyntheticGradient{};
}

void TrainingWorker::fragment_complete(const Frame& result, bool, Time) {
  if (result.psn - first_psn() >= plan_.fragments_per_iteration()) {
    fail(result.psn, fmt::format("a result outside of iteration {}", iterations_.size()));
  }
  if (!proved_.insert(result.psn)) fail(result.psn, "the result was delivered twice");
  const numeric::SyntheticGradient sum = sum_of(result);
  const auto wrong = numeric::first_difference(table_, sum, key_, result.psn, result.values.data(),
                                               result.values.size());
  if (wrong) {
    fail(result.psn, fmt::format("value {} is {}, but the workers' sum is {}", *wrong,
                                 result.values.data()[*wrong],
                                 numeric::synthetic_value(table_, sum, key_, result.psn, *wrong)));
  }
}

void TrainingWorker::tensor_complete(Psn first, Time) {
  --partitions_missing_[partition_of(first - first_psn()).layer];
}

void TrainingWorker::fail(Psn psn, const std::string& what) const {
  throw ProofViolation(
      fmt::format("job {}, worker {}, PSN {}: {}", seat_.job, seat_.rank, psn, what));
}

}  // namespace ina::endpoints
