/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_LINK_NAMES_H
#define INA_LINK_NAMES_H

#include "scenario.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ns3
{

/// A link has the name of what hangs on the switch by it: "host3", "ps0", "rack1".
std::string HostLinkName(std::uint32_t host);
std::string ServerLinkName(std::uint32_t server);
std::string RackLinkName(std::uint32_t rack);

/// A rack's switch: "switch" if there is only one, else as its link.
std::string SwitchName(const TopologyScenario& topology, std::uint32_t rack);

/// Whether `pattern` ("all", "hosts", "parameter_servers", "racks" or a link's name) concerns the
/// link.
bool LinkMatches(std::string_view pattern, std::string_view link);

/// Whether `pattern` concerns any link of the topology.
bool AnyLinkMatches(std::string_view pattern, const TopologyScenario& topology);

} // namespace ns3

#endif // INA_LINK_NAMES_H
