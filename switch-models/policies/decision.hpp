// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace ina::policies {

/// What a collision policy decides about an aggregator in use and a packet of another task. A
/// policy is a class with `Decision collide(std::uint16_t aggregator_priority, std::uint16_t
/// packet_priority)`, and kComparisons: how many of them that takes of a stateful ALU.
struct Decision {
  bool preempt;  ///< the packet takes the aggregator, what was in it goes to the server
  std::uint16_t aggregator_priority;  ///< from now on; the packet's if it preempts
};

/// Whether a policy says of itself, by `static constexpr bool kNeverPreempts = true`, that no
/// collision ever frees an aggregator: then it takes an expiry to free those that nobody knows of.
template <class Policy>
inline constexpr bool kNeverPreempts = requires {
  requires Policy::kNeverPreempts;
};

}  // namespace ina::policies
