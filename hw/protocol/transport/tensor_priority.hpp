// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <boost/describe.hpp>
#include <cstdint>

#include "hw/protocol/time.hpp"

namespace ina {

/// Priority in packets that stands for P = 1 (DSA V, priority_estimates.hpp), so that 16 bits reach
/// up to P = 12. The paper gives no width; 16 bits are the choice of this project.
inline constexpr std::uint16_t kPriorityScale = 65535 / 12;

/// DSA V: the priority that a tensor's packets carry, from 1 to 65535. It is fixed, or in inverse
/// proportion to the time that is left when a packet is sent: one division a packet.
class TensorPriority {
 public:
  constexpr TensorPriority(std::uint16_t fixed = 1)  // NOLINT: meant to convert
      : weight_(fixed) {}
  /// weight / (end - now), where at least `least` is left; `weight` in picoseconds.
  TensorPriority(double weight, Time end, Time least) : weight_(weight), end_(end), least_(least) {}

  std::uint16_t at(Time now) const {
    return static_cast<std::uint16_t>(std::clamp(exactly_at(now) + kHalf, 1.0, kMost));
  }
  /// The same before it is rounded and kept within its bounds.
  double exactly_at(Time now) const {
    return weight_ / static_cast<double>(std::max(end_ - now, least_).count());
  }

 private:
  static constexpr double kHalf = 0.5;  // rounds
  static constexpr double kMost = 65535;

  double weight_;
  // Fixed: the end is over, and a picosecond left.
  Time end_{};
  Time least_{1};

  BOOST_DESCRIBE_CLASS(TensorPriority, (), (), (), (weight_))  // all of one that is fixed
};

}  // namespace ina
