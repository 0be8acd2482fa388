// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <boost/describe.hpp>
#include <cstdint>

#include "hw/protocol/time.hpp"

namespace ina {

/// Code of the priority P = 1 in packets (DSA V, priority_estimates.hpp). 16 bits thus encode
/// priorities up to P = 12. The paper gives no width; 16 bits are this project's choice.
inline constexpr std::uint16_t kPriorityScale = 65535 / 12;

/// The priority of a tensor's packets (DSA V), from 1 to 65535. It is either fixed, or inversely
/// proportional to the time that remains in the iteration when a packet is sent. The latter takes
/// one division per packet.
class TensorPriority {
 public:
  constexpr TensorPriority(std::uint16_t fixed = 1)  // NOLINT: meant to convert
      : weight_(fixed) {}
  /// weight / max(end - now, least). `weight` is in picoseconds.
  TensorPriority(double weight, Time end, Time least) : weight_(weight), end_(end), least_(least) {}

  std::uint16_t at(Time now) const {
    return static_cast<std::uint16_t>(std::clamp(exactly_at(now) + kHalf, 1.0, kMost));
  }
  /// The priority before it is rounded and clamped.
  double exactly_at(Time now) const {
    return weight_ / static_cast<double>(std::max(end_ - now, least_).count());
  }

 private:
  static constexpr double kHalf = 0.5;  // for rounding
  static constexpr double kMost = 65535;

  double weight_;
  // The defaults make the priority fixed: end - now is not positive, so the divisor is 1 ps.
  Time end_{};
  Time least_{1};

  BOOST_DESCRIBE_CLASS(TensorPriority, (), (), (), (weight_))  // complete state of a fixed priority
};

}  // namespace ina
