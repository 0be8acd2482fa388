// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/training/training_worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ina::cluster {

namespace {

constexpr std::uint32_t kRememberedIterations = 2;

/// Moves up to `most` of the rest to a part of the breakdown.
void attribute_to(std::int64_t& part, Time& rest, Time most) {
  const Time taken = std::clamp(most, Time{}, rest);
  part += taken.count();
  rest -= taken;
}

}  // namespace

TrainingWorker::TrainingWorker(const TrainingPlan& plan, const JobGradients& gradients,
                               TrainingWorld& world, std::uint16_t rank)
    : plan_(plan),
      gradients_(gradients),
      world_(world),
      rank_(rank),
      verified_(plan.partitions.fragments_per_iteration() * kRememberedIterations),
      estimates_(estimates_of(plan.layers, plan.line_rates_bps[rank % plan.line_rates_bps.size()],
                              plan.priority_code)),
      submitted_at_(plan.partitions.partitions().size()),
      partitions_missing_(plan.layers.size()),
      results_in_at_(plan.layers.size()) {}

void TrainingWorker::begin(std::uint32_t iteration, Time at) {
  const std::uint32_t per_iteration = plan_.partitions.fragments_per_iteration();
  iteration_ = iteration;
  first_psn_ = 0;
  fragments_done_ = std::uint64_t{iteration} * per_iteration;
  verified_ = RecentPsnSet(per_iteration * kRememberedIterations);
  submissions_.clear();
  next_submission_ = 0;
  computes_until_.reset();
  submitted_ = {};
  begins_at_ = at;
}

std::optional<Psn> TrainingWorker::first_missing() const {
  const std::uint32_t per_iteration = plan_.partitions.fragments_per_iteration();
  for (std::uint32_t fragment = 0; !done() && fragment < per_iteration; ++fragment) {
    const Psn psn = first_psn_ + fragment;
    if (!verified_.contains(psn)) return psn;
  }
  return std::nullopt;
}

Time TrainingWorker::compute_time(std::int64_t nominal_ps) const {
  const auto& of_workers = plan_.compute_time_factors;
  if (of_workers.empty()) return Time(nominal_ps);
  const std::vector<double>& factors = of_workers[rank_ % of_workers.size()];
  return Time(std::llround(static_cast<double>(nominal_ps) * factors[iteration_ % factors.size()]));
}

// ---- by the clock

Time TrainingWorker::deadline() const {
  if (begins_at_) return *begins_at_;
  Time next = computes_until_.value_or(kNever);
  if (next_submission_ < submissions_.size()) {
    next = std::min(next, submissions_[next_submission_].at);
  }
  return next;
}

void TrainingWorker::advance(Time now) {
  while (deadline() <= now) {
    if (begins_at_) {
      begins_at_.reset();
      start_iteration(now);
    } else if (computes_until_ == deadline()) {
      computed(now);
    } else {
      submit_next(now);
    }
  }
}

void TrainingWorker::start_iteration(Time now) {
  iteration_start_ = now;
  attributed_until_ = now;
  breakdown_ = JctBreakdown{};
  result_serialisation_ = Time{};
  parts_serialisation_ = Time{};
  next_forward_ = 0;
  world_.iteration_started(iteration_, now);
  std::vector<Time> layer_ready(plan_.layers.size());
  Time ready = now;
  for (std::size_t layer = plan_.layers.size(); layer-- > 0;) {
    const Time begin = ready;
    ready += compute_time(plan_.layers[layer].backward_ps);
    world_.computes(iteration_, Pass::backward, layer, begin, ready);
    layer_ready[layer] = ready;
  }
  plan_submissions(layer_ready);
  backward_ = true;
  computes_until_ = ready;
}

void TrainingWorker::plan_submissions(const std::vector<Time>& layer_ready) {
  const JitterPer per = plan_.jitter_per;
  if (!worker_jitter_) worker_jitter_ = per == JitterPer::worker ? draw_jitter() : Time{};
  const Time iteration_jitter = per == JitterPer::iteration ? draw_jitter() : *worker_jitter_;
  std::ranges::fill(partitions_missing_, 0);
  std::ranges::fill(results_in_at_, Time{});
  submissions_.clear();
  next_submission_ = 0;
  const auto& partitions = plan_.partitions.partitions();
  const std::size_t exposed_from = partitions.size() - plan_.exposed_partitions;
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    const std::uint32_t layer = partitions[i].layer;
    const Time jitter = per == JitterPer::partition ? draw_jitter() : iteration_jitter;
    const Time ready = i < exposed_from ? layer_ready[layer] : layer_ready.front();
    ++partitions_missing_[layer];
    submissions_.push_back({ready + jitter, i});
  }
  std::ranges::stable_sort(submissions_, {}, &Submission::at);
}

void TrainingWorker::submit_next(Time now) {
  const std::size_t index = submissions_[next_submission_++].partition;
  const PlannedPartition& partition = plan_.partitions.partitions()[index];
  submitted_at_[index] = now;
  world_.partition_submitted(iteration_, index, now);
  Tensor tensor;
  tensor.first_psn = first_psn_ + partition.first_fragment;
  tensor.fragments = partition.fragments;
  tensor.priority = estimates_.priority(partition.layer, iteration_start_, now);
  tensor.low_watermark = first_psn_;
  tensor.source = this;
  tensor.exponent_lead = partition.exponent_lead;
  world_.submit(tensor, now);
}

void TrainingWorker::computed(Time now) {
  computes_until_.reset();
  breakdown_.compute += (now - attributed_until_).count();
  attributed_until_ = now;
  if (!std::exchange(backward_, false) && ++next_forward_ == plan_.layers.size()) {
    end_iteration(now);
  } else {
    try_forward(now);
  }
}

void TrainingWorker::try_forward(Time now) {
  if (computes_until_ || partitions_missing_[next_forward_] != 0) return;
  // If advance() is called late, results may have arrived before `now`. The layer starts no earlier
  // than their arrival.
  const Time begin = std::max(now, results_in_at_[next_forward_]);
  breakdown_.queueing += (begin - attributed_until_).count();
  attributed_until_ = begin;
  computes_until_ = begin + compute_time(plan_.layers[next_forward_].forward_ps);
  world_.computes(iteration_, Pass::forward, next_forward_, begin, *computes_until_);
}

void TrainingWorker::end_iteration(Time now) {
  estimates_.update(now - iteration_start_, Time(breakdown_.compute));
  const bool waited = result_serialisation_ != Time{};
  world_.iteration_ended(
      iteration_, {iteration_start_, now, breakdown_, waited ? until_first_result_ : breakdown_});
  ++iteration_;
  first_psn_ += plan_.partitions.fragments_per_iteration();
  if (!done()) start_iteration(now);
}

// ---- by results

void TrainingWorker::read(Psn psn, std::span<std::int32_t> out) const {
  gradients_.read(rank_, psn, out);
}

void TrainingWorker::read_floats(Psn psn, std::span<float> out) const {
  gradients_.read_floats(rank_, psn, out);
}

numeric::ExponentCode TrainingWorker::exponent(Psn psn) const {
  return gradients_.exponent(rank_, psn);
}

void TrainingWorker::read_block(Psn psn, numeric::ExponentCode agreed,
                                std::span<std::int32_t> out) const {
  gradients_.read_block(rank_, psn, agreed, out);
}

void TrainingWorker::fragment_complete(const Frame& result, const Delivery& delivery, Time now) {
  const bool expected = result.psn - first_psn_ < plan_.partitions.fragments_per_iteration();
  if (!expected || !verified_.insert(result.psn) ||
      result.values.size() != gradients_.carried_values()) [[unlikely]] {
    refuse(result, expected);
  }
  gradients_.verify(rank_, first_psn_, result);
  ++fragments_done_;
  if (!computes_until_) attribute(result, delivery, now);
}

void TrainingWorker::refuse(const Frame& result, bool expected) const {
  const std::size_t values = result.values.size();
  const std::size_t carried = gradients_.carried_values();
  gradients_.fail(rank_, result.psn,
                  !expected           ? fmt::format("a result outside of iteration {}", iteration_)
                  : values != carried ? fmt::format("{} values instead of {}", values, carried)
                                      : "the result was delivered twice");
}

void TrainingWorker::part_came(std::uint16_t bytes, Time now) {
  if (computes_until_) return;
  const Time line_free = std::max(attributed_until_, part_came_at_);
  parts_serialisation_ += std::min(now - line_free, world_.serialisation(bytes));
  part_came_at_ = now;
}

void TrainingWorker::attribute(const Frame& result, const Delivery& delivery, Time now) {
  const bool is_first = result_serialisation_ == Time{};
  if (is_first) [[unlikely]]
    result_serialisation_ = world_.serialisation(result.bytes);
  const Time gap_start = attributed_until_;
  const Time gap = now - gap_start;
  Time serialisation = std::min(gap, result_serialisation_);
  if (parts_serialisation_ != Time{}) {
    serialisation = std::min(now - part_came_at_, result_serialisation_) +
                    std::exchange(parts_serialisation_, Time{});
  }
  attributed_until_ = now;
  breakdown_.serialisation += serialisation.count();
  if (gap != serialisation) attribute_rest(gap_start, gap - serialisation, result, delivery, now);
  if (is_first) [[unlikely]]
    until_first_result_ = breakdown_;
}

void TrainingWorker::attribute_rest(Time gap_start, Time rest, const Frame& result,
                                    const Delivery& delivery, Time now) {
  if (result.psn - submitted_.first_psn >= submitted_.fragments) [[unlikely]] {
    look_up_submitted(result.psn);
  }
  if (submitted_.by_all_at > gap_start || submitted_.here_at > gap_start) {
    attribute_to(breakdown_.lateness, rest, submitted_.here_at - gap_start);
    attribute_to(breakdown_.straggler, rest,
                 submitted_.by_all_at - std::max(gap_start, submitted_.here_at));
  }
  if (delivery.resent || result.has(flag::resend)) {
    breakdown_.recovery += rest.count();
  } else if (result.has(flag::collision)) {
    breakdown_.fallback += rest.count();
  } else {
    const bool was_out_before = submitted_.by_all_at > std::max(gap_start, delivery.sent);
    attribute_network(rest, delivery, was_out_before ? Hold::none : delivery.hold, now);
  }
}

/// Attributes time in queues before time in a hold, since a packet that had left earlier would have
/// waited in the queue, too. This requires the time of sending, which results of peers do not
/// contain.
void TrainingWorker::attribute_network(Time rest, const Delivery& delivery, Hold hold, Time now) {
  const Time on_the_way = now - std::max(delivery.sent, submitted_.by_all_at);
  const Time queued = on_the_way - std::max(plan_.unloaded_path, result_serialisation_);
  const bool knows_sending = delivery.sent != kUnknownSending;
  if (knows_sending) attribute_to(breakdown_.queueing, rest, queued);
  if (rest == Time{}) return;
  if (hold != Hold::none) {
    attribute_to(hold == Hold::memory ? breakdown_.slot_wait : breakdown_.window_wait, rest,
                 now - delivery.held_since);
  }
  if (!knows_sending) attribute_to(breakdown_.queueing, rest, queued);
  attribute_to(breakdown_.propagation, rest, plan_.unloaded_path - result_serialisation_);
  breakdown_.queueing += rest.count();
}

void TrainingWorker::look_up_submitted(Psn psn) {
  const std::size_t index = plan_.partitions.partition_of(psn - first_psn_);
  const PlannedPartition& partition = plan_.partitions.partitions()[index];
  submitted_ = {first_psn_ + partition.first_fragment, partition.fragments, submitted_at_[index],
                world_.last_submitted(iteration_, index)};
}

void TrainingWorker::tensor_complete(Psn first_psn, Time now) {
  const std::size_t partition = plan_.partitions.partition_of(first_psn - first_psn_);
  const std::uint32_t layer = plan_.partitions.partitions()[partition].layer;
  world_.partition_completed(iteration_, partition, now);
  if (--partitions_missing_[layer] != 0) return;
  results_in_at_[layer] = now;
  try_forward(now);
}

}  // namespace ina::cluster
