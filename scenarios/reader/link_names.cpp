// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/link_names.hpp"

#include <fmt/format.h>

namespace ina::scenarios {

namespace {

constexpr std::string_view kHost = "host";
constexpr std::string_view kServer = "ps";
constexpr std::string_view kRack = "rack";

}  // namespace

std::string host_link_name(std::uint32_t host) { return fmt::format("{}{}", kHost, host); }

std::string server_link_name(std::uint32_t server) { return fmt::format("{}{}", kServer, server); }

std::string rack_link_name(std::uint32_t rack) { return fmt::format("{}{}", kRack, rack); }

std::string switch_name(const TopologyScenario& topology, std::uint32_t rack) {
  return topology.racks == 1 ? "switch" : rack_link_name(rack);
}

bool link_matches(std::string_view pattern, std::string_view link) {
  return pattern == "all" || pattern == link || (pattern == "hosts" && link.starts_with(kHost)) ||
         (pattern == "parameter_servers" && link.starts_with(kServer)) ||
         (pattern == "racks" && link.starts_with(kRack));
}

bool any_link_matches(std::string_view pattern, const TopologyScenario& topology) {
  for (std::uint32_t host = 0; host < topology.hosts; ++host) {
    if (link_matches(pattern, host_link_name(host))) {
      return true;
    }
  }
  for (std::uint32_t server = 0; server < topology.parameter_servers; ++server) {
    if (link_matches(pattern, server_link_name(server))) {
      return true;
    }
  }
  for (std::uint32_t rack = 0; rack + 1 < topology.racks; ++rack) {
    if (link_matches(pattern, rack_link_name(rack))) {
      return true;
    }
  }
  return false;
}

}  // namespace ina::scenarios
