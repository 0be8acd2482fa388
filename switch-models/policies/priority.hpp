// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switch-models/policies/decision.hpp"

namespace ina::policies {

/// DSA III.B and V: the higher priority keeps the aggregator, a tie does not preempt, and every
/// packet that fails to preempt halves the aggregator's priority.
class Priority {
 public:
  static constexpr std::string_view kName = "priority";
  static constexpr unsigned kComparisons = 1;
  Decision collide(std::uint16_t aggregator_priority, std::uint16_t packet_priority) {
    if (packet_priority > aggregator_priority) return {true, packet_priority};
    return {false, static_cast<std::uint16_t>(aggregator_priority >> 1)};
  }
};

}  // namespace ina::policies
