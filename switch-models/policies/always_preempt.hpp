// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switch-models/policies/decision.hpp"

namespace ina::policies {

/// DSA VII.C, the first strawman: every collision preempts.
class AlwaysPreempt {
 public:
  static constexpr std::string_view kName = "always-preempt";
  static constexpr unsigned kComparisons = 0;
  Decision collide(const Collision& collision) { return {true, collision.packet_priority}; }
};

}  // namespace ina::policies
