// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/job_iterations.hpp"

#include <utility>

namespace ina::cluster {

bool JobIterations::worker_started(std::uint32_t iteration, Time now) {
  Open& of = open(iteration);
  if (!started_at_) started_at_ = now;
  if (of.workers_started++ != 0) return false;
  of.last_start = now;
  if (of.beginnings++ == 0) of.first_start = now;
  return true;
}

std::optional<JobIteration> JobIterations::worker_ended(std::uint32_t iteration, std::uint16_t rank,
                                                        Time start, Time now,
                                                        const JctBreakdown& breakdown) {
  Open& of = open(iteration);
  const Time in_vain = of.last_start - of.first_start;
  of.sum_of_workers += in_vain + now - start;
  if (std::pair(now, rank) >= std::pair(of.last_end, of.last_rank)) {
    of.last_rank = rank;
    of.last_began = start;
    of.last_end = now;
    of.of_last = breakdown;
  }
  if (++of.workers_ended < workers_) return std::nullopt;
  JobIteration ended{.start = of.first_start,
                     .end = of.last_end,
                     .beginnings = of.beginnings,
                     .worker_mean = of.sum_of_workers / workers_,
                     .breakdown = of.of_last};
  ended.breakdown.recovery += in_vain.count();
  ended.breakdown.straggler += (of.last_began - of.last_start).count();
  open_.pop_front();  // a worker ends its iterations in order, and so do all of them
  ++finished_;
  return ended;
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
