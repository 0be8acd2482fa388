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
  void expired() { expiries_ = std::min(expiries_ + 1, kMostDoublings); }
  void progress() { expiries_ = 0; }
  std::size_t doublings() const { return expiries_; }

  /// The time-out after `doublings` doublings, at most a quarter of the range of Time. Adding it to
  /// an instant therefore cannot overflow.
  static Time doubled(Time timeout, std::size_t doublings) {
    constexpr Time kLongest = kNever / 4;
    const std::int64_t factor = std::int64_t{1} << doublings;
    return timeout > kLongest / factor ? kLongest : timeout * factor;
  }
  static constexpr std::size_t kMostDoublings = 6;

 private:
  std::size_t expiries_ = 0;
};

}  // namespace ina
