// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switch-models/policies/decision.hpp"

namespace ina::policies {

/// DSA III.B and V: a packet preempts if its priority is higher than the aggregator's. A packet
/// that fails to preempt halves the aggregator's priority. The rule also applies between two tasks
/// of one job: there, a slow worker's packet of the older task may have the higher priority because
/// it is sent later.
class Priority {
 public:
  static constexpr std::string_view kName = "priority";
  static constexpr unsigned kComparisons = 1;
  Decision collide(const Collision& collision) {
    if (collision.packet_priority > collision.aggregator_priority) {
      return {true, collision.packet_priority};
    }
    return {false, static_cast<std::uint16_t>(collision.aggregator_priority >> 1)};
  }
};

}  // namespace ina::policies
