// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "scenarios/keys/scenario.hpp"
#include "scenarios/reader/scenario_document.hpp"
#include "scenarios/reader/trace_files.hpp"
#include "scenarios/resolve/network.hpp"

namespace ina::scenarios {

/// Reads the files of flow sizes that the scenario names and checks its traffic. Removes arrivals
/// with a load of 0. Throws InputError.
void complete_traffic(Scenario& scenario, const Network& network, const ScenarioDocument& document,
                      TraceFiles& files);

}  // namespace ina::scenarios
