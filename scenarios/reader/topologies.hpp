// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "hw/cluster/topology.hpp"
#include "scenarios/reader/scenario.hpp"

namespace ina::scenarios {

/// With the hosts, then the parameter servers.
cluster::Topology topology_of(const TopologyScenario& scenario);

/// For workers.
std::uint32_t host_count(const TopologyScenario& scenario);
std::uint32_t rack_count(const TopologyScenario& scenario);

/// Whatever links of a tier have.
const LinkScenario& link_of(const TopologyScenario& scenario, cluster::Tier tier);

/// The links between switches on the longest way to a parameter server.
std::vector<LinkScenario> trunks_to_server(const TopologyScenario& scenario);

}  // namespace ina::scenarios
