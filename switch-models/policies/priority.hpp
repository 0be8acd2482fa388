// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switch-models/policies/decision.hpp"

namespace ina::policies {

/// DSA III.B and V: the higher priority keeps the aggregator, a tie does not preempt, and every
/// packet that fails to preempt halves the aggregator's priority. The same rule applies to two
/// tasks of one job, in which a slow worker's packet of the older task may have the higher priority
/// because it is sent later.
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
