// SPDX-License-Identifier: BSD-3-Clause
// Tests of every collision policy:
//   INSTANTIATE_TEST_SUITE_P(Every, Suite, every_policy(), policy_name);
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "switch-models/policies/collision_policy.hpp"
#include "tests/support/random.hpp"

namespace ina::testing {

inline auto every_policy() { return ::testing::ValuesIn(policies::every_policy()); }

/// Suffix of a test's name, which may not contain '-'.
inline std::string policy_name(const ::testing::TestParamInfo<policies::CollisionPolicy>& info) {
  std::string name(policies::name_of(info.param));
  std::ranges::replace(name, '-', '_');
  return name;
}

/// The policy with random parameters. Each exceeds its minimum by its range, halved 0 to 40 times,
/// so that both small and large values are drawn.
inline policies::CollisionPolicy with_drawn_parameters(policies::CollisionPolicy policy,
                                                       Random& random) {
  policies::for_each_parameter(policy, [&](const policies::Parameter& parameter,
                                           std::int64_t& value) {
    constexpr std::uint32_t kMostHalvings = 40;
    value = parameter.low + ((parameter.high - parameter.low) >> random.between(0, kMostHalvings));
  });
  return policy;
}

}  // namespace ina::testing
