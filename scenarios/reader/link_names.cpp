// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/link_names.hpp"

#include <fmt/format.h>
#include <charconv>

#include "scenarios/reader/topologies.hpp"

namespace ina::scenarios {

namespace {

constexpr std::string_view kHost = "host";
constexpr std::string_view kServer = "ps";
constexpr std::string_view kRack = "rack";

/// What stands behind the kind of a link; none if that is no number of one of them.
std::optional<std::uint32_t> find_number(std::string_view link, std::string_view kind,
                                         std::uint32_t count) {
  std::uint32_t number = 0;
  if (!link.starts_with(kind)) return std::nullopt;
  std::from_chars(link.data() + kind.size(), link.data() + link.size(), number);
  if (number >= count || link != fmt::format("{}{}", kind, number)) return std::nullopt;
  return number;
}

}  // namespace

std::string host_link_name(std::uint32_t host) { return fmt::format("{}{}", kHost, host); }

std::string server_link_name(std::uint32_t server) { return fmt::format("{}{}", kServer, server); }

std::string rack_link_name(std::uint32_t rack) { return fmt::format("{}{}", kRack, rack); }

std::vector<std::string> trunk_names(const cluster::Topology& topology) {
  const bool is_star = topology.switches.back().height == 0;
  std::vector<std::string> names;
  for (const auto& trunk : topology.trunks) {
    const std::string& lower = topology.switches[trunk.lower].name;
    const std::string& upper = topology.switches[trunk.upper].name;
    names.push_back(is_star ? lower : fmt::format("{}-{}", lower, upper));
  }
  return names;
}

std::optional<std::uint32_t> find_machine(const TopologyScenario& scenario, std::string_view link) {
  const std::uint32_t hosts = host_count(scenario);
  if (const auto host = find_number(link, kHost, hosts)) return host;
  const auto server = find_number(link, kServer, scenario.parameter_servers);
  return server ? std::optional(hosts + *server) : std::nullopt;
}

bool link_matches(std::string_view pattern, std::string_view link) {
  return pattern == "all" || pattern == link || (pattern == "hosts" && link.starts_with(kHost)) ||
         (pattern == "parameter_servers" && link.starts_with(kServer)) ||
         (pattern == "racks" && !link.starts_with(kHost) && !link.starts_with(kServer));
}

std::vector<std::string> link_names(const TopologyScenario& scenario) {
  std::vector<std::string> names = trunk_names(topology_of(scenario));
  for (std::uint32_t host = 0; host < host_count(scenario); ++host) {
    names.push_back(host_link_name(host));
  }
  for (std::uint32_t server = 0; server < scenario.parameter_servers; ++server) {
    names.push_back(server_link_name(server));
  }
  return names;
}

}  // namespace ina::scenarios
