// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>

#include "hw/protocol/time.hpp"

namespace ina {

/// Doubles a time-out with every expiry since the last progress, up to a factor of 64 (RFC
/// 6298, 5.5).
class Backoff {
 public:
  Time apply(Time timeout) const { return doubled(timeout, expiries_); }
  void expired() { expiries_ = std::min(expiries_ + 1, kMostDoublings); }
  void progress() { expiries_ = 0; }
  std::size_t doublings() const { return expiries_; }

  static Time doubled(Time timeout, std::size_t doublings) {
    return timeout * (std::int64_t{1} << doublings);
  }

 private:
  static constexpr std::size_t kMostDoublings = 6;
  std::size_t expiries_ = 0;
};

}  // namespace ina
