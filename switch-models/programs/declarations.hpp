// SPDX-License-Identifier: BSD-3-Clause
// What the data-plane programs take of a chip. A program and its declaration change together: the
// Checked program runs with its arrays where the declaration places them.
#pragma once

#include <cstddef>

#include "hw/protocol/wire/limits.hpp"
#include "switch-models/policies/collision_policy.hpp"
#include "switch-models/programs/join_priority.hpp"
#include "switch-models/rmt/declaration.hpp"

namespace ina::programs {

/// ATP 4 and D, two-pass: half of a packet's values in each pass. A row of the value registers
/// holds half of an aggregator.
inline constexpr std::size_t kTwoPasses = 2;

/// Values of SwitchML's packet that one pass adds: 32, or 64 as pairs of values
/// (p4lang/p4app-switchML). Each version has a row of its own: both in a pair of words would be six
/// actions.
inline constexpr std::size_t kSwitchmlPairs = 32;
inline constexpr std::size_t kSwitchmlPassValues = 2 * kSwitchmlPairs;
/// The most values of a packet that a chip adds, in its four pipes.
inline constexpr std::size_t kSwitchmlChipValues = 4 * kSwitchmlPassValues;
/// More are those of an MTU, which arXiv v1, 5.5 compares with: a switch that there is not adds
/// them all in one pass.
constexpr bool adds_in_one_pass(std::size_t values) {
  return values <= kSwitchmlPairs || values > kSwitchmlChipValues;
}

/// `slots`: pairs over all jobs; of 256 values, a quarter is in each of four pipes; more fit no
/// chip.
rmt::Declaration declare_switchml(std::size_t slots, std::size_t values,
                                  bool collects_marks = false);

/// `passes`: over which the values of a packet are spread.
rmt::Declaration declare_atp(std::size_t aggregators, std::size_t passes = kTwoPasses);

rmt::Declaration declare_dsa(std::size_t aggregators, const policies::PolicyNeeds& policy,
                             JoinPriority join = JoinPriority::keep,
                             std::size_t passes = kTwoPasses);

}  // namespace ina::programs
