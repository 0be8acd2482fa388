// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "hw/cluster/traffic/flow_schedule.hpp"
#include "scenarios/reader/scenario.hpp"
#include "scenarios/reader/scenario_document.hpp"
#include "scenarios/reader/trace_files.hpp"

namespace ina::scenarios {

/// Reads the files of flow sizes that the scenario names, and checks all of its traffic, of which
/// only that with a load stays. Throws InputError.
void complete_traffic(Scenario& scenario, const ScenarioDocument& document, TraceFiles& files);

/// Of a scenario that passed complete_traffic(), one for each of its flows, by machine numbers.
std::vector<cluster::traffic::Pattern> traffic_patterns(const Scenario& scenario);

/// The machines that send or receive, ascending.
std::vector<std::uint32_t> traffic_machines(const Scenario& scenario);

}  // namespace ina::scenarios
