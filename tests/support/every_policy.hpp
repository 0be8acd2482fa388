// SPDX-License-Identifier: BSD-3-Clause
// Tests of every collision policy:
//   INSTANTIATE_TEST_SUITE_P(Every, Suite, every_policy(), policy_name);
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "switch-models/policies/collision_policy.hpp"

namespace ina::testing {

inline auto every_policy() { return ::testing::ValuesIn(policies::every_policy()); }

/// The end of a test's name, which may have no '-'.
inline std::string policy_name(const ::testing::TestParamInfo<policies::CollisionPolicy>& info) {
  std::string name(policies::name_of(info.param));
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace ina::testing
