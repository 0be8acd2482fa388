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
  Time period_start{};           ///< end of the iteration before it, or start of the first one
  Time start{};                  ///< of the first worker, when it was begun the first time
  Time end{};                    ///< of the last worker
  std::uint32_t beginnings = 0;  ///< more than one if it was begun anew
  Time worker_mean{};            ///< of the workers' own times, with what was done in vain
  Time straggler_worker_mean{};  ///< of the workers' own waits for others, since their own starts
  /// Parts of the period at the last worker, without what it did of the iteration before the
  /// period began. Work in vain, before the iteration was begun anew, is recovery; a later start
  /// than the first worker's is lateness.
  JctBreakdown breakdown;

  /// Periods of a job follow one another, and add up to its JCT.
  Time period() const { return end - period_start; }
  /// Spans overlap where workers begin an iteration before others have ended the one before.
  Time span() const { return end - start; }
};

/// The iterations of a job, made out of what its workers say of theirs. They tell it in the order
/// of time, and each worker starts and ends its iterations one after the other; the workers
/// themselves may be in different ones.
class JobIterations {
 public:
  /// `workers`: how many the job has.
  explicit JobIterations(std::uint32_t workers) : workers_(workers) {}

  /// A worker starts an iteration that is not finished. Returns whether it is the first one to do
  /// so since the job began, or began anew.
  bool worker_started(std::uint32_t iteration, Time now);
  /// A worker ends an iteration that it started. Returns the iteration if all have; of
  /// those that end it at the same time, the one of the highest rank is the last worker, whichever
  /// tells it first. Iterations come in order.
  std::optional<JobIteration> worker_ended(std::uint32_t iteration, std::uint16_t rank,
                                           const WorkerIteration& ended);
  /// All workers begin anew with the iteration finished(), the first that not all have ended.
  void begin_again();

  /// How many iterations all workers have ended.
  std::uint32_t finished() const { return finished_; }
  /// Of the first iteration; nothing if no worker has started it.
  std::optional<Time> started_at() const { return started_at_; }

 private:
  struct Open {
    Time first_start{};
    Time last_start{};  // of the first worker, when it was begun the last time
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
  std::deque<Open> open_;  // from the iteration `finished_` on
  std::optional<Time> started_at_;
  Time period_start_{};
};

}  // namespace ina::cluster
