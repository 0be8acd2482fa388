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
    /// Calls sched_yield() a number of times, then sleeps, and waits for its turn on waking up. For
    /// many loops on few processors, which otherwise interrupt each other. Each loop then finds a
    /// backlog in its turn and processes all of it. Next to a computing thread, the loop waits for
    /// that thread's time slices.
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
