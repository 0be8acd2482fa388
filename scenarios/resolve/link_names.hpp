// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/cluster/network/topology.hpp"
#include "scenarios/keys/scenario.hpp"

namespace ina::scenarios {

/// A link is named after the node at its lower end: "host3", "ps0", "rack1". Ports of a host with
/// several ports count as hosts of their own: "host3.rail1".
std::string host_link_name(const TopologyScenario& scenario, std::uint32_t host);
std::string server_link_name(std::uint32_t server);
/// `machine`: a number as returned by find_machine().
std::string machine_link_name(const TopologyScenario& scenario, std::uint32_t machine);
std::string rack_link_name(std::uint32_t rack);
/// Number of the host whose link has this name. Parameter servers are numbered after all workers'
/// hosts. Empty if no host's link has the name.
std::optional<std::uint32_t> find_machine(const TopologyScenario& scenario, std::string_view link);
/// Names by TrunkIndex: "rack1" in a star, "leaf0-spine1" in other topologies.
std::vector<std::string> trunk_names(const TopologyScenario& scenario,
                                     const cluster::Topology& topology);

/// Whether `pattern` matches the link: "all", "hosts", "parameter_servers", "racks", the name of a
/// link, or the name of a host with several ports.
bool link_matches(std::string_view pattern, std::string_view link);

/// Names of all links: between switches, then of hosts, then of parameter servers.
std::vector<std::string> link_names(const TopologyScenario& scenario,
                                    const cluster::Topology& topology);

/// Whether a switch may have the name: up to 32 letters, digits and "_", but not a name that a host
/// or parameter server could have.
bool is_switch_name(std::string_view name);

}  // namespace ina::scenarios
