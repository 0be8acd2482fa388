// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

namespace ina::ports {

/// What a loop does that found nothing to do. Several polling processes on few processors starve
/// each other when they spin, and interrupt each other's work when they sleep but briefly: it looks
/// a number of times, then sleeps, the longer the longer there is nothing. Or it never sleeps,
/// where each has a processor of its own.
class Idle {
 public:
  explicit Idle(bool polls = false);

  void found_work();
  void found_nothing();

 private:
  bool polls_;
  int in_vain_ = 0;
  std::chrono::microseconds nap_;
};

}  // namespace ina::ports
