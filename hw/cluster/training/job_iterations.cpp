// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/training/job_iterations.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ina::cluster {

namespace {

/// Parts of an iteration in chronological order, up to the first result for which the worker waits.
constexpr std::array kPartsByTime = {&JctBreakdown::compute,     &JctBreakdown::lateness,
                                     &JctBreakdown::straggler,   &JctBreakdown::recovery,
                                     &JctBreakdown::fallback,    &JctBreakdown::slot_wait,
                                     &JctBreakdown::window_wait, &JctBreakdown::queueing,
                                     &JctBreakdown::propagation, &JctBreakdown::serialisation};
static_assert(kPartsByTime.size() == kJctParts.size());

/// Subtracts the first `time` of an iteration from `parts`, but at most `within` from each part.
/// Returns the rest of `time`.
std::int64_t take_first(std::int64_t time, JctBreakdown within, JctBreakdown& parts) {
  for (std::int64_t JctBreakdown::*const part : kPartsByTime) {
    const std::int64_t taken = std::min({time, within.*part, parts.*part});
    parts.*part -= taken;
    time -= taken;
  }
  return time;
}

/// The breakdown without the worker's activity before `from`. Before that time another worker had
/// not begun, so this worker had no results, unless clocks differ.
JctBreakdown breakdown_from(Time from, const WorkerIteration& iteration) {
  JctBreakdown parts = iteration.breakdown;
  const std::int64_t before = (from - iteration.start).count();
  const std::int64_t left = take_first(before, iteration.until_first_result, parts);
  take_first(left, parts, parts);
  return parts;
}

}  // namespace

bool JobIterations::worker_started(std::uint32_t iteration, Time now) {
  Open& of = open(iteration);
  if (!started_at_) started_at_ = period_start_ = now;
  if (of.workers_started++ != 0) return false;
  of.last_start = now;
  if (of.beginnings++ == 0) of.first_start = now;
  return true;
}

std::optional<JobIteration> JobIterations::worker_ended(std::uint32_t iteration, std::uint16_t rank,
                                                        const WorkerIteration& ended) {
  Open& of = open(iteration);
  const Time in_vain = of.last_start - of.first_start;
  of.sum_of_workers += in_vain + ended.end - ended.start;
  of.sum_of_stragglers += Time(ended.breakdown.straggler);
  if (std::pair(ended.end, rank) >= std::pair(of.last.end, of.last_rank)) {
    of.last_rank = rank;
    of.last = ended;
  }
  if (++of.workers_ended < workers_) return std::nullopt;
  const JobIteration all{.period_start = period_start_,
                         .start = of.first_start,
                         .end = of.last.end,
                         .beginnings = of.beginnings,
                         .worker_mean = of.sum_of_workers / workers_,
                         .straggler_worker_mean = of.sum_of_stragglers / workers_,
                         .breakdown = breakdown_in_period(of)};
  period_start_ = all.end;
  open_.pop_front();  // each worker ends its iterations in order, hence all workers do
  ++finished_;
  return all;
}

JctBreakdown JobIterations::breakdown_in_period(const Open& of) const {
  if (of.last.start < period_start_) return breakdown_from(period_start_, of.last);
  const Time last_beginning = std::max(of.last_start, period_start_);
  JctBreakdown parts = of.last.breakdown;
  parts.recovery += (last_beginning - period_start_).count();
  parts.lateness += (of.last.start - last_beginning).count();
  return parts;
}

void JobIterations::begin_again() {
  const Open before = open(finished_);
  open_.clear();
  Open& again = open(finished_);
  again.first_start = before.first_start;
  again.beginnings = before.beginnings;
}

JobIterations::Open& JobIterations::open(std::uint32_t iteration) {
  const std::size_t index = iteration - finished_;
  if (open_.size() <= index) open_.resize(index + 1);
  return open_[index];
}

}  // namespace ina::cluster
