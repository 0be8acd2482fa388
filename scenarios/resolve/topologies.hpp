// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hw/cluster/network/topology.hpp"
#include "scenarios/keys/scenario.hpp"

namespace ina::scenarios {

/// Builds the topology with workers' hosts first, then parameter servers. Throws std::out_of_range
/// if a trunk leads to a switch that does not exist.
cluster::Topology topology_of(const TopologyScenario& scenario);

/// Number of hosts for workers; each port of a host counts.
std::uint32_t host_count(const TopologyScenario& scenario);

}  // namespace ina::scenarios
