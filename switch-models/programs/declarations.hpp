// SPDX-License-Identifier: BSD-3-Clause
// Chip resources that each data-plane program needs. A program and its declaration must change
// together, because a program in the Checked mode has its arrays in the declared stages.
#pragma once

#include <cstddef>

#include "hw/protocol/wire/limits.hpp"
#include "switch-models/policies/collision_policy.hpp"
#include "switch-models/programs/join_priority.hpp"
#include "switch-models/rmt/declaration.hpp"

namespace ina::programs {

/// ATP 4 and D, two-pass: each pass processes half of a packet's values. A row of value registers
/// holds half of an aggregator's values.
inline constexpr std::size_t kTwoPasses = 2;

/// One pass adds and returns 32 values of a SwitchML packet, or adds 64 as pairs of values, whose
/// sums need further passes to return (p4lang/p4app-switchML). Each version of a slot has its own
/// row, because a pair of words that held both versions would need six actions.
inline constexpr std::size_t kSwitchmlPairs = 32;
inline constexpr std::size_t kSwitchmlPassValues = 2 * kSwitchmlPairs;
/// Maximum number of values per packet that a chip can add, in all four of its pipes together.
inline constexpr std::size_t kSwitchmlChipValues = 4 * kSwitchmlPassValues;
/// Whether one pass adds all values and returns the sums. Besides packets of up to 32 values, these
/// are MTU-sized packets, which no chip can add: arXiv v1, 5.5 assumes a hypothetical switch.
constexpr bool adds_in_one_pass(std::size_t values) {
  return values <= kSwitchmlPairs || values > kSwitchmlChipValues;
}

/// `slots`: number of slots (each with two versions) of all jobs together. The 256 values of the
/// largest packet are spread evenly over four pipes; packets with more values fit no chip.
rmt::Declaration declare_switchml(std::size_t slots, std::size_t values,
                                  bool collects_marks = false);

/// `passes`: number of passes that process the values of one packet, an equal share each.
rmt::Declaration declare_atp(std::size_t aggregators, std::size_t passes = kTwoPasses);

rmt::Declaration declare_dsa(std::size_t aggregators, const policies::PolicyNeeds& policy,
                             JoinPriority join = JoinPriority::keep,
                             std::size_t passes = kTwoPasses);

}  // namespace ina::programs
