// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>

namespace ina::ports {

/// What a loop does that found nothing to do.
class Idle {
 public:
  enum class Strategy : std::uint8_t {
    /// Looks again: for a thread with a processor of its own.
    polls,
    /// Sleeps, and interrupts who is at work when it wakes up: for a thread beside some that
    /// calculate.
    naps,
    /// Lets others go first a number of times, then sleeps, and waits its turn when it wakes up:
    /// for many such loops on few processors, which interrupt each other's work otherwise. What
    /// makes them fast is that each, in its turn, finds much to do and does all of it. Beside a
    /// thread that calculates it waits for that one's time slices.
    yields,
  };

  /// In the thread of the loop, whose scheduling it may change.
  explicit Idle(Strategy strategy);

  void found_work();
  void found_nothing();

 private:
  Strategy strategy_;
  int looks_ = 0;  // since there was work
  std::chrono::microseconds nap_;
};

}  // namespace ina::ports
