// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>

namespace ina::ports {

/// Decides how a polling loop waits when it finds no work.
class Idle {
 public:
  enum class Strategy : std::uint8_t {
    /// Polls again at once. For a thread with its own processor.
    polls,
    /// Sleeps, and preempts the running thread on waking up. For a thread that shares processors
    /// with computations.
    naps,
    /// Calls sched_yield() a number of times, then sleeps. On waking up, it waits for its turn. For
    /// many loops that share a few processors and would otherwise interrupt each other. In its
    /// turn, each loop finds a backlog and processes all of it. If a thread on the same processor
    /// computes, the loop waits until the time slices of that thread end.
    yields,
  };

  /// Call this in the loop's thread: it may change the thread's scheduling policy.
  explicit Idle(Strategy strategy);

  void found_work();
  void found_nothing();

 private:
  Strategy strategy_;
  int looks_ = 0;  // number of polls without work since the last work
  std::chrono::microseconds nap_;
};

}  // namespace ina::ports
