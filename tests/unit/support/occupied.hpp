// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "switch-models/programs/switch_program.hpp"

namespace ina::testing {

/// The aggregators in use in a program's registers.
inline std::vector<programs::OccupiedAggregator> occupied_in(
    const programs::SwitchProgram& program) {
  std::vector<programs::OccupiedAggregator> found;
  program.visit_occupied([&found](const auto& aggregator) { found.push_back(aggregator); });
  return found;
}

}  // namespace ina::testing
