// SPDX-License-Identifier: BSD-3-Clause
// Chip resources that each data-plane program needs. A program and its declaration must change
// together, because a program in the Checked mode has its arrays in the declared stages.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/protocol/wire/limits.hpp"
#include "switch-models/policies/collision_policy.hpp"
#include "switch-models/programs/join_priority.hpp"
#include "switch-models/rmt/declaration.hpp"

namespace ina::programs {

/// ATP 4 and D, two-pass: each pass processes half of a packet's values. A row of value registers
/// holds half of an aggregator's values.
inline constexpr std::size_t kTwoPasses = 2;

/// Number of values of a SwitchML packet that one pass can add and return. A pass can also add 64
/// values as pairs, but further passes must return their sums (p4lang/p4app-switchML). Each version
/// of a slot has its own row: a pair of words that held both versions would need six actions.
inline constexpr std::size_t kSwitchmlPairs = 32;
inline constexpr std::size_t kSwitchmlPassValues = 2 * kSwitchmlPairs;
/// Maximum number of values per packet that a chip can add, in all four of its pipes together.
inline constexpr std::size_t kSwitchmlChipValues = 4 * kSwitchmlPassValues;
/// Whether one pass adds all values and returns the sums. This holds for up to 32 values, and for
/// MTU-sized packets: no chip can add these, but arXiv v1, 5.5 assumes a switch that can.
constexpr bool adds_in_one_pass(std::size_t values) {
  return values <= kSwitchmlPairs || values > kSwitchmlChipValues;
}

/// `slots`: number of slots (each with two versions) of all jobs together. The 256 values of the
/// largest packet are spread evenly over four pipes; packets with more values fit no chip.
rmt::Declaration declare_switchml(std::size_t slots, std::size_t values,
                                  bool collects_marks = false);

/// `passes`: number of passes that process a packet's `values`, 1 or 2; each processes an equal
/// share.
rmt::Declaration declare_atp(std::size_t aggregators, std::size_t passes = kTwoPasses,
                             std::size_t values = wire::kFragmentValues);

rmt::Declaration declare_dsa(std::size_t aggregators, const policies::PolicyNeeds& policy,
                             JoinPriority join = JoinPriority::keep,
                             std::size_t passes = kTwoPasses,
                             std::size_t values = wire::kFragmentValues);

}  // namespace ina::programs
