// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

#include "hw/protocol/time.hpp"

namespace ina::processes {

/// Time since the beginning of a run, measured by the machine's monotonic clock, which all its
/// processes share.
class RunClock {
 public:
  using Clock = std::chrono::steady_clock;

  explicit RunClock(Clock::time_point beginning) : beginning_(beginning) {}

  Time now() const { return std::chrono::duration_cast<Time>(Clock::now() - beginning_); }

 private:
  Clock::time_point beginning_;
};

}  // namespace ina::processes
