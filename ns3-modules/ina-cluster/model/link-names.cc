/* SPDX-License-Identifier: GPL-2.0-only */
#include "link-names.h"

#include <fmt/format.h>

namespace ns3
{

namespace
{

constexpr std::string_view HOST = "host";
constexpr std::string_view SERVER = "ps";
constexpr std::string_view RACK = "rack";

} // namespace

std::string
HostLinkName(std::uint32_t host)
{
    return fmt::format("{}{}", HOST, host);
}

std::string
ServerLinkName(std::uint32_t server)
{
    return fmt::format("{}{}", SERVER, server);
}

std::string
RackLinkName(std::uint32_t rack)
{
    return fmt::format("{}{}", RACK, rack);
}

std::string
SwitchName(const TopologyScenario& topology, std::uint32_t rack)
{
    return topology.racks == 1 ? "switch" : RackLinkName(rack);
}

bool
LinkMatches(std::string_view pattern, std::string_view link)
{
    return pattern == "all" || pattern == link || (pattern == "hosts" && link.starts_with(HOST)) ||
           (pattern == "parameter_servers" && link.starts_with(SERVER)) ||
           (pattern == "racks" && link.starts_with(RACK));
}

bool
AnyLinkMatches(std::string_view pattern, const TopologyScenario& topology)
{
    for (std::uint32_t host = 0; host < topology.hosts; ++host)
    {
        if (LinkMatches(pattern, HostLinkName(host)))
        {
            return true;
        }
    }
    for (std::uint32_t server = 0; server < topology.parameter_servers; ++server)
    {
        if (LinkMatches(pattern, ServerLinkName(server)))
        {
            return true;
        }
    }
    for (std::uint32_t rack = 0; rack + 1 < topology.racks; ++rack)
    {
        if (LinkMatches(pattern, RackLinkName(rack)))
        {
            return true;
        }
    }
    return false;
}

} // namespace ns3
