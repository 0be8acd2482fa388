// SPDX-License-Identifier: BSD-3-Clause
// Resources of a chip that the data-plane programs take. A program and its declaration must change
// together, because the Checked program runs with its arrays at the declared places.
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

/// Number of values of SwitchML's packet that one pass adds: 32, or 64 as pairs of values
/// (p4lang/p4app-switchML). Each version has a row of its own, because both versions in a pair of
/// words would take six actions.
inline constexpr std::size_t kSwitchmlPairs = 32;
inline constexpr std::size_t kSwitchmlPassValues = 2 * kSwitchmlPairs;
/// Maximum number of values per packet that a chip adds, in its four pipes.
inline constexpr std::size_t kSwitchmlChipValues = 4 * kSwitchmlPassValues;
/// Packets with more values than a chip adds are those of an MTU, with which arXiv v1, 5.5
/// compares. A hypothetical switch adds them all in one pass.
constexpr bool adds_in_one_pass(std::size_t values) {
  return values <= kSwitchmlPairs || values > kSwitchmlChipValues;
}

/// `slots`: pairs over all jobs. Packets of 256 values have a quarter in each of four pipes; larger
/// ones fit no chip.
rmt::Declaration declare_switchml(std::size_t slots, std::size_t values,
                                  bool collects_marks = false);

/// `passes`: number of passes over which the values of a packet are spread.
rmt::Declaration declare_atp(std::size_t aggregators, std::size_t passes = kTwoPasses);

rmt::Declaration declare_dsa(std::size_t aggregators, const policies::PolicyNeeds& policy,
                             JoinPriority join = JoinPriority::keep,
                             std::size_t passes = kTwoPasses);

}  // namespace ina::programs
