// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "scenarios/keys/scenario.hpp"
#include "scenarios/reader/scenario_document.hpp"
#include "scenarios/resolve/network.hpp"

namespace ina::scenarios {

/// Throws InputError if workers and parameter servers cannot be where the jobs say, or everyone
/// where there is room, or if switches cannot tell apart who is where. places[j] is the pointer to
/// what describes job j.
void check_places(const Scenario& scenario, const Network& network,
                  const std::vector<std::string>& places, const ScenarioDocument& document);

}  // namespace ina::scenarios
