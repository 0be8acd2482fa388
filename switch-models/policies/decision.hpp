// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace ina::policies {

/// What a collision policy decides about an aggregator in use and a packet of another task. A
/// policy is a class with `Decision collide(std::uint16_t aggregator_priority, std::uint16_t
/// packet_priority)`.
struct Decision {
  bool preempt;  ///< the packet takes the aggregator, what was in it goes to the server
  std::uint16_t aggregator_priority;  ///< from now on; the packet's if it preempts
};

}  // namespace ina::policies
