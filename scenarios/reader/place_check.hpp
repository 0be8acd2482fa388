// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "scenarios/keys/scenario.hpp"
#include "scenarios/reader/scenario_document.hpp"
#include "scenarios/resolve/network.hpp"

namespace ina::scenarios {

/// Throws InputError if workers and parameter servers cannot be on the hosts that jobs name, or if
/// there are too few hosts for the other jobs. Also throws if addresses or the bits of a switch's
/// bitmap do not suffice for them. places[j] points to the description of job j.
void check_places(const Scenario& scenario, const Network& network,
                  const std::vector<std::string>& places, const ScenarioDocument& document);

}  // namespace ina::scenarios
