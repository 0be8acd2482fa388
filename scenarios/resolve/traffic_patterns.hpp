// SPDX-License-Identifier: BSD-3-Clause
// The background traffic of a scenario, with machine numbers instead of names of links.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/cluster/traffic/flow_schedule.hpp"
#include "scenarios/keys/scenario.hpp"
#include "scenarios/resolve/network.hpp"

namespace ina::scenarios {

/// Requires that the hosts of the flows exist.
cluster::traffic::Pattern traffic_pattern(const FlowsScenario& flows, const Scenario& scenario,
                                          const Network& network);

/// One pattern per flow. Requires a scenario that passed complete_traffic().
std::vector<cluster::traffic::Pattern> traffic_patterns(const Scenario& scenario,
                                                        const Network& network);

/// Machines that send or receive, ascending.
std::vector<std::uint32_t> machines_of(const std::vector<cluster::traffic::Pattern>& patterns);

}  // namespace ina::scenarios
