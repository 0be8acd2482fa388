// SPDX-License-Identifier: BSD-3-Clause
// Tests of every system:
//   INSTANTIATE_TEST_SUITE_P(Every, Suite, ::testing::ValuesIn(every_system()), system_name());
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "hw/cluster/systems/all.hpp"

namespace ina::cluster {

inline void PrintTo(SystemId system, std::ostream* out) { *out << name_of(system); }

}  // namespace ina::cluster

namespace ina::testing {

inline std::vector<cluster::SystemId> every_system() {
  std::vector<cluster::SystemId> all;
  for (std::size_t i = 0; i < cluster::kSystemNames.size(); ++i) {
    all.push_back(static_cast<cluster::SystemId>(i));
  }
  return all;
}

/// Name generator for parameterised tests.
inline auto system_name() {
  return [](const auto& info) { return std::string(cluster::name_of(info.param)); };
}

}  // namespace ina::testing
