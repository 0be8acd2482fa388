// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/cluster/topology.hpp"
#include "scenarios/reader/scenario.hpp"

namespace ina::scenarios {

/// A link has the name of what hangs on the switch by it: "host3", "ps0", "rack1".
std::string host_link_name(std::uint32_t host);
std::string server_link_name(std::uint32_t server);
std::string rack_link_name(std::uint32_t rack);
/// The number of the host that the link leads to, those of parameter servers behind the others;
/// none has the name.
std::optional<std::uint32_t> find_machine(const TopologyScenario& scenario, std::string_view link);
/// By TrunkIndex; in a star as above, in others "leaf0-spine1".
std::vector<std::string> trunk_names(const cluster::Topology& topology);

/// Whether `pattern` ("all", "hosts", "parameter_servers", "racks" or a link's name) concerns the
/// link.
bool link_matches(std::string_view pattern, std::string_view link);

/// Of all links: those between switches, the hosts', then the parameter servers'.
std::vector<std::string> link_names(const TopologyScenario& scenario);

}  // namespace ina::scenarios
