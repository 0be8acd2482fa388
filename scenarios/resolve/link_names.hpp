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

/// A link has the name of what hangs on the switch by it: "host3", "ps0", "rack1"; that of a host
/// with several ports, which count as hosts, "host3.rail1".
std::string host_link_name(const TopologyScenario& scenario, std::uint32_t host);
std::string server_link_name(std::uint32_t server);
/// Of the machine as find_machine() counts them.
std::string machine_link_name(const TopologyScenario& scenario, std::uint32_t machine);
std::string rack_link_name(std::uint32_t rack);
/// The number of the host that the link leads to, those of parameter servers behind the others;
/// none has the name.
std::optional<std::uint32_t> find_machine(const TopologyScenario& scenario, std::string_view link);
/// By TrunkIndex; in a star as above, in others "leaf0-spine1".
std::vector<std::string> trunk_names(const TopologyScenario& scenario,
                                     const cluster::Topology& topology);

/// Whether `pattern` ("all", "hosts", "parameter_servers", "racks", a link's name, or a host's with
/// several ports) concerns the link.
bool link_matches(std::string_view pattern, std::string_view link);

/// Of all links: those between switches, the hosts', then the parameter servers'.
std::vector<std::string> link_names(const TopologyScenario& scenario,
                                    const cluster::Topology& topology);

/// Whether a switch may have the name: of up to 32 letters, digits and "_", and not as hosts and
/// parameter servers are called.
bool is_switch_name(std::string_view name);

}  // namespace ina::scenarios
