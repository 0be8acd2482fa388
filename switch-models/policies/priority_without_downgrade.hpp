// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switch-models/policies/decision.hpp"

namespace ina::policies {

/// DSA's policy without priority downgrading (V.B), to measure what the downgrading gains: a packet
/// that fails to preempt leaves the aggregator's priority unchanged.
class PriorityWithoutDowngrade {
 public:
  static constexpr std::string_view kName = "priority-without-downgrade";
  static constexpr unsigned kComparisons = 1;
  static constexpr bool kExpires = true;
  Decision collide(const Collision& collision) {
    if (collision.packet_priority > collision.aggregator_priority) {
      return {true, collision.packet_priority};
    }
    return {false, collision.aggregator_priority};
  }
};

}  // namespace ina::policies
