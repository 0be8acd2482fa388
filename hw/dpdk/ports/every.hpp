// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/protocol/time.hpp"

namespace ina::ports {

/// Timer of a periodic action in a loop.
class Every {
 public:
  /// `first`: time at which the action is first due.
  explicit Every(Time interval, Time first = {}) : interval_(interval), next_(first) {}

  /// Whether the action is due. Returns true at most once per interval.
  bool is_due(Time now) {
    if (now < next_) return false;
    next_ = now + interval_;
    return true;
  }

 private:
  Time interval_;
  Time next_;
};

}  // namespace ina::ports
