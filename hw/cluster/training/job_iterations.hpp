// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "hw/cluster/training/worker_iteration.hpp"
#include "hw/protocol/time.hpp"

namespace ina::cluster {

/// An iteration that all workers of its job have ended.
struct JobIteration {
  Time period_start{};           ///< end of the previous iteration, or start of the first one
  Time start{};                  ///< time at which the first worker started it
  Time end{};                    ///< time at which the last worker ended it
  std::uint32_t beginnings = 0;  ///< number of starts; more than one if it was restarted
  Time worker_mean{};            ///< mean of the workers' times from start to end, with lost work
  Time straggler_worker_mean{};  ///< mean of the workers' waits for other workers (straggler)
  /// Breakdown of the period at the worker that ended last, without the part of the iteration that
  /// precedes the period. Work that a restart of the iteration discarded counts as recovery. If
  /// this worker started later than the first worker, the difference counts as lateness.
  JctBreakdown breakdown;

  /// Time from the end of the previous iteration. The periods of a job add up to its JCT.
  Time period() const { return end - period_start; }
  /// Time from the first worker's start to the end. Spans of two iterations overlap if a worker
  /// begins the second one before another worker has ended the first.
  Time span() const { return end - start; }
};

/// Combines the workers' reports into the iterations of a job. Reports must arrive in the order of
/// time. Each worker starts and ends its iterations one after the other. Different workers may be
/// in different iterations.
class JobIterations {
 public:
  /// `workers`: number of workers of the job.
  explicit JobIterations(std::uint32_t workers) : workers_(workers) {}

  /// Call this when a worker starts an iteration that is not finished. Returns whether no other
  /// worker has started this iteration since the job was started or restarted.
  bool worker_started(std::uint32_t iteration, Time now);
  /// Call this when a worker ends an iteration. Returns the iteration if all workers have now ended
  /// it. If several workers end it at the same time, the highest rank counts as last, whatever the
  /// order of the calls. Iterations are returned in order.
  std::optional<JobIteration> worker_ended(std::uint32_t iteration, std::uint16_t rank,
                                           const WorkerIteration& ended);
  /// Call this when all workers restart at finished(), the first iteration that not all have ended.
  void begin_again();

  /// Number of iterations that all workers have ended.
  std::uint32_t finished() const { return finished_; }
  /// Start of the first iteration; empty if no worker has started it.
  std::optional<Time> started_at() const { return started_at_; }

 private:
  struct Open {
    Time first_start{};
    Time last_start{};  // first start after the last restart
    std::uint32_t beginnings = 0;
    std::uint32_t workers_started = 0;
    std::uint32_t workers_ended = 0;
    Time sum_of_workers{};
    Time sum_of_stragglers{};
    std::uint16_t last_rank = 0;
    WorkerIteration last;
  };

  Open& open(std::uint32_t iteration);
  JctBreakdown breakdown_in_period(const Open& of) const;

  std::uint32_t workers_;
  std::uint32_t finished_ = 0;
  std::deque<Open> open_;  // starting with iteration `finished_`
  std::optional<Time> started_at_;
  Time period_start_{};
};

}  // namespace ina::cluster
