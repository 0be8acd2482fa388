// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

namespace ina::ports {

/// What a loop does that found nothing to do. Several polling threads on few processors starve each
/// other when they spin, and interrupt each other's work when they sleep but briefly. What makes
/// them fast is that each, in its turn, finds much to do and does all of it: one without work lets
/// others go first a number of times, then sleeps, the longer the longer there is nothing, and
/// interrupts nobody when it wakes up. Or it never sleeps, where each has a processor of its own.
class Idle {
 public:
  /// In the thread of the loop, whose scheduling it changes.
  explicit Idle(bool polls = false);

  void found_work();
  void found_nothing();

 private:
  bool polls_;
  int yields_ = 0;  // since there was work
  std::chrono::microseconds nap_;
};

}  // namespace ina::ports
