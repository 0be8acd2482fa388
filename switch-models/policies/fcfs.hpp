// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switch-models/policies/decision.hpp"

namespace ina::policies {

/// First come, first served, as in ATP: only an aggregator that has expired can be preempted.
class Fcfs {
 public:
  static constexpr std::string_view kName = "fcfs";
  static constexpr unsigned kComparisons = 0;
  static constexpr bool kExpires = true;

  Decision collide(const Collision& collision) { return {false, collision.aggregator_priority}; }
};

}  // namespace ina::policies
