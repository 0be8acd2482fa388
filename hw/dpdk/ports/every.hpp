// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/protocol/time.hpp"

namespace ina::ports {

/// Something that a loop does once in an interval.
class Every {
 public:
  /// `first`: time at which it is due for the first time.
  explicit Every(Time interval, Time first = {}) : interval_(interval), next_(first) {}

  /// Whether it is due; then not again until the interval has passed.
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
