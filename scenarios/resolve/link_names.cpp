// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/resolve/link_names.hpp"

#include <fmt/format.h>
#include <charconv>

#include <algorithm>
#include <cctype>

#include "scenarios/resolve/topologies.hpp"

namespace ina::scenarios {

namespace {

constexpr std::string_view kHost = "host";
constexpr std::string_view kServer = "ps";
constexpr std::string_view kRack = "rack";
constexpr char kPort = '.';  ///< separates a host from its port
constexpr std::string_view kRail = ".rail";
constexpr std::size_t kMostLetters = 32;  ///< maximum length of a switch's name

/// The number after the kind in a link's name. Empty if the number is missing or not below `count`.
std::optional<std::uint32_t> find_number(std::string_view link, std::string_view kind,
                                         std::uint32_t count) {
  std::uint32_t number = 0;
  if (!link.starts_with(kind)) return std::nullopt;
  std::from_chars(link.data() + kind.size(), link.data() + link.size(), number);
  if (number >= count || link != fmt::format("{}{}", kind, number)) return std::nullopt;
  return number;
}

}  // namespace

std::string host_link_name(const TopologyScenario& scenario, std::uint32_t host) {
  if (scenario.type != TopologyType::rail) return fmt::format("{}{}", kHost, host);
  return fmt::format("{}{}{}{}", kHost, host % scenario.hosts, kRail, host / scenario.hosts);
}

std::string server_link_name(std::uint32_t server) { return fmt::format("{}{}", kServer, server); }

std::string machine_link_name(const TopologyScenario& scenario, std::uint32_t machine) {
  const std::uint32_t hosts = host_count(scenario);
  return machine < hosts ? host_link_name(scenario, machine) : server_link_name(machine - hosts);
}

std::string rack_link_name(std::uint32_t rack) { return fmt::format("{}{}", kRack, rack); }

std::vector<std::string> trunk_names(const TopologyScenario& scenario,
                                     const cluster::Topology& topology) {
  const bool is_star = scenario.type == TopologyType::star;
  std::vector<std::string> names;
  for (const auto& trunk : topology.trunks) {
    const std::string& lower = topology.switches[trunk.lower].name;
    const std::string& upper = topology.switches[trunk.upper].name;
    names.push_back(is_star ? lower : fmt::format("{}-{}", lower, upper));
  }
  return names;
}

namespace {

std::optional<std::uint32_t> find_host(const TopologyScenario& scenario, std::string_view link) {
  if (scenario.type != TopologyType::rail) return find_number(link, kHost, host_count(scenario));
  const std::size_t port = std::min(link.find(kPort), link.size());
  const auto host = find_number(link.substr(0, port), kHost, scenario.hosts);
  const auto rail = find_number(link.substr(port), kRail, scenario.rails);
  return host && rail ? std::optional(*rail * scenario.hosts + *host) : std::nullopt;
}

}  // namespace

std::optional<std::uint32_t> find_machine(const TopologyScenario& scenario, std::string_view link) {
  const std::uint32_t hosts = host_count(scenario);
  if (const auto host = find_host(scenario, link)) return host;
  const auto server = find_number(link, kServer, scenario.parameter_servers);
  return server ? std::optional(hosts + *server) : std::nullopt;
}

bool link_matches(std::string_view pattern, std::string_view link) {
  const bool is_port_of =
      link.starts_with(pattern) && link.substr(pattern.size()).starts_with(kPort);
  return pattern == "all" || pattern == link || is_port_of ||
         (pattern == "hosts" && link.starts_with(kHost)) ||
         (pattern == "parameter_servers" && link.starts_with(kServer)) ||
         (pattern == "racks" && !link.starts_with(kHost) && !link.starts_with(kServer));
}

std::vector<std::string> link_names(const TopologyScenario& scenario,
                                    const cluster::Topology& topology) {
  std::vector<std::string> names = trunk_names(scenario, topology);
  for (std::uint32_t host = 0; host < host_count(scenario); ++host) {
    names.push_back(host_link_name(scenario, host));
  }
  for (std::uint32_t server = 0; server < scenario.parameter_servers; ++server) {
    names.push_back(server_link_name(server));
  }
  return names;
}

bool is_switch_name(std::string_view name) {
  const auto may_have = [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_';
  };
  return !name.empty() && name.size() <= kMostLetters && std::ranges::all_of(name, may_have) &&
         !name.starts_with(kHost) && !name.starts_with(kServer);
}

}  // namespace ina::scenarios
