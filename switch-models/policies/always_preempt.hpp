// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switch-models/policies/decision.hpp"

namespace ina::policies {

/// DSA VII.C, the first strawman: every collision preempts.
class AlwaysPreempt {
 public:
  static constexpr std::string_view kName = "always-preempt";
  static constexpr unsigned kComparisons = 0;
  Decision collide(std::uint16_t, std::uint16_t packet_priority) { return {true, packet_priority}; }
};

}  // namespace ina::policies
