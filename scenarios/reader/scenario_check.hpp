// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "scenarios/keys/scenario.hpp"
#include "scenarios/reader/scenario_document.hpp"
#include "scenarios/resolve/network.hpp"

namespace ina::scenarios {

/// Throws InputError if values that are valid individually do not fit together. places[j] points to
/// the description of job j.
void check_scenario(const Scenario& scenario, const Network& network,
                    const std::vector<std::string>& places, const ScenarioDocument& document);

}  // namespace ina::scenarios
