// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hw/cluster/network/topology.hpp"
#include "scenarios/keys/scenario.hpp"

namespace ina::scenarios {

/// With the hosts, then the parameter servers. Throws std::out_of_range if a trunk leads to a
/// switch that there is not.
cluster::Topology topology_of(const TopologyScenario& scenario);

/// Placements for workers, each with a link.
std::uint32_t host_count(const TopologyScenario& scenario);

}  // namespace ina::scenarios
