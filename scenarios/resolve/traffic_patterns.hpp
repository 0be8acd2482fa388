// SPDX-License-Identifier: BSD-3-Clause
// The traffic of a scenario that is no job's, by machine numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/cluster/traffic/flow_schedule.hpp"
#include "scenarios/keys/scenario.hpp"
#include "scenarios/resolve/network.hpp"

namespace ina::scenarios {

/// The hosts that the flows name must exist.
cluster::traffic::Pattern traffic_pattern(const FlowsScenario& flows, const Scenario& scenario,
                                          const Network& network);

/// Of a scenario that passed complete_traffic(), one for each of its flows.
std::vector<cluster::traffic::Pattern> traffic_patterns(const Scenario& scenario,
                                                        const Network& network);

/// The machines that send or receive, ascending.
std::vector<std::uint32_t> machines_of(const std::vector<cluster::traffic::Pattern>& patterns);

}  // namespace ina::scenarios
