// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/topology_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "hw/cluster/network/paths.hpp"
#include "hw/fields/counted.hpp"
#include "scenarios/keys/scenario_fields.hpp"
#include "scenarios/resolve/link_names.hpp"
#include "scenarios/resolve/topologies.hpp"

namespace ina::scenarios {

using cluster::SwitchIndex;

namespace {

/// The key that sets the number of hosts.
std::string_view key_of_hosts(TopologyType type) {
  if (type == TopologyType::leaf_spine) return "/topology/hosts_per_rack";
  return type == TopologyType::rail ? "/topology/rails" : "/topology/switches";
}

void check_sizes(const TopologyScenario& topology, const ScenarioDocument& document) {
  if (topology.type == TopologyType::fat_tree && topology.k % 2 != 0) {
    document.fail("/topology/k", fmt::format("found {}; allowed: an even number", topology.k));
  }
  if (host_count(topology) > kMaxHosts) {
    document.fail(std::string(key_of_hosts(topology.type)),
                  fmt::format("found {} in all; allowed: at most {}",
                              counted(host_count(topology), "host"), kMaxHosts));
  }
  if (topology.type == TopologyType::star && topology.racks > topology.hosts) {
    document.fail(
        "/topology/racks",
        fmt::format("found {}, but the topology has {}; allowed: at least one host per rack",
                    counted(topology.racks, "rack"), counted(topology.hosts, "host")));
  }
}

// ---- topologies of type graph

using Names = std::set<std::string_view>;

Names check_switches(const TopologyScenario& topology, const ScenarioDocument& document) {
  Names names;
  std::uint64_t hosts = 0;
  for (std::size_t i = 0; i < topology.switches.size(); ++i) {
    const SwitchPlaceScenario& place = topology.switches[i];
    const std::string pointer = pointer_to(pointer_to("/topology/switches", i), "name");
    if (!is_switch_name(place.name)) {
      document.fail(pointer,
                    fmt::format("found \"{}\"; allowed: up to 32 of A-Z a-z 0-9 _, not beginning "
                                "with host or ps, which the links of hosts begin with",
                                shorten(place.name)));
    }
    if (!names.insert(place.name).second) {
      document.fail(
          pointer,
          fmt::format("found \"{}\" twice; allowed: a different name for each switch", place.name));
    }
    hosts += place.hosts;
  }
  if (hosts == 0) {
    document.fail("/topology/switches", "found no switch with hosts; allowed: at least one host");
  }
  return names;
}

void check_is_switch(const std::string& name, const Names& switches, const std::string& pointer,
                     const ScenarioDocument& document) {
  if (!switches.contains(name)) {
    document.fail(pointer,
                  fmt::format("found \"{}\"; allowed: a name in /topology/switches, such as \"{}\"",
                              shorten(name), *switches.begin()));
  }
}

void check_trunks(const TopologyScenario& topology, const Names& switches,
                  const ScenarioDocument& document) {
  std::set<std::pair<std::string_view, std::string_view>> linked;
  for (std::size_t i = 0; i < topology.trunks.size(); ++i) {
    const TrunkScenario& trunk = topology.trunks[i];
    const std::string place = pointer_to("/topology/trunks", i);
    check_is_switch(trunk.from, switches, pointer_to(place, "from"), document);
    check_is_switch(trunk.to, switches, pointer_to(place, "to"), document);
    if (trunk.from == trunk.to) {
      document.fail(pointer_to(place, "to"),
                    fmt::format("found \"{}\", as in from; allowed: another switch", trunk.to));
    }
    const std::pair<std::string_view, std::string_view> ends = std::minmax(trunk.from, trunk.to);
    if (!linked.insert(ends).second) {
      document.fail(
          place,
          fmt::format(
              "found a second link between {} and {}; allowed: one link between two switches",
              trunk.from, trunk.to));
    }
  }
}

/// Each switch needs a path to the parameter servers' switch that avoids other racks.
void check_ways(const TopologyScenario& scenario, const ScenarioDocument& document) {
  const cluster::Topology topology = topology_of(scenario);
  const SwitchIndex root = topology.of_servers();
  const cluster::ShortestPaths paths(topology, root);
  for (std::size_t place = 0; place < topology.switches.size(); ++place) {
    const auto at = static_cast<SwitchIndex>(place);
    const std::string& name = topology.switches[at].name;
    if (!paths.trunks(at)) {
      document.fail(
          "/topology/trunks",
          fmt::format("found no path from \"{}\" to \"{}\", the parameter servers' switch; "
                      "allowed: a path from each switch, through switches without hosts",
                      name, topology.switches[root].name));
    }
  }
}

void check_graph(const TopologyScenario& topology, const ScenarioDocument& document) {
  if (topology.type != TopologyType::graph) return;
  const Names switches = check_switches(topology, document);
  check_trunks(topology, switches, document);
  if (!topology.servers_at.empty()) {
    check_is_switch(topology.servers_at, switches, "/topology/servers_at", document);
  }
}

// ---- single links

/// One kind of link in the topology: the pattern that matches all links of the kind, their number,
/// and the first name.
struct LinkKind {
  std::string_view pattern;
  std::string count;
  std::string first;
};

std::vector<LinkKind> kinds_of_links(const TopologyScenario& topology,
                                     const std::vector<std::string>& links) {
  const std::uint32_t hosts = host_count(topology);
  const std::size_t trunks = links.size() - hosts - topology.parameter_servers;
  const bool has_ports = topology.type == TopologyType::rail;
  std::vector<LinkKind> kinds{
      {"hosts", counted(hosts, has_ports ? "port" : "host"), host_link_name(topology, 0)}};
  if (topology.parameter_servers != 0) {
    kinds.push_back({"parameter_servers", counted(topology.parameter_servers, "parameter server"),
                     server_link_name(0)});
  }
  if (trunks != 0) {
    kinds.push_back({"racks", counted(trunks, "link") + " between switches", links.front()});
  }
  return kinds;
}

/// `links`: the names of all links; `is_pattern`: whether a pattern is allowed.
[[noreturn]] void fail_for_link(const std::string& pattern, const std::vector<std::string>& links,
                                bool is_pattern, const TopologyScenario& topology,
                                const std::string& place, const ScenarioDocument& document) {
  std::vector<std::string> patterns{"\"all\""};
  std::vector<std::string> counts;
  std::vector<std::string> firsts;
  for (const LinkKind& kind : kinds_of_links(topology, links)) {
    patterns.push_back(fmt::format("\"{}\"", kind.pattern));
    counts.push_back(kind.count);
    firsts.push_back(fmt::format("\"{}\"", kind.first));
  }
  document.fail(pointer_to(place, "link"),
                fmt::format("found \"{}\"; allowed: {}one of {}, such as {}", shorten(pattern),
                            is_pattern ? fmt::format("{}, or ", fmt::join(patterns, ", ")) : "",
                            fmt::join(counts, ", "), fmt::join(firsts, ", ")));
}

void check_own_links(const TopologyScenario& topology, const ScenarioDocument& document) {
  if (topology.links.empty()) return;
  const cluster::Topology network = topology_of(topology);
  const std::vector<std::string> names = link_names(topology, network);
  for (std::size_t i = 0; i < topology.links.size(); ++i) {
    check_link(topology.links[i].link, names, topology, pointer_to("/topology/links", i), document);
  }
}

// ---- time of packets in hosts

void check_host(const HostScenario& host, std::string_view key, const ScenarioDocument& document) {
  if (!host.stage.is_on() && host.stage != cluster::HostStage::Config{}) {
    document.fail(pointer_to("/topology", key),
                  "found keys without effect, since packets take no time; allowed: \"per_packet\" "
                  "or \"per_byte\" above 0s, or the defaults of all keys");
  }
}

}  // namespace

void check_topology(const TopologyScenario& topology, const ScenarioDocument& document) {
  check_graph(topology, document);
  check_sizes(topology, document);
  if (topology.type == TopologyType::graph) check_ways(topology, document);
  check_own_links(topology, document);
  check_host(topology.host, "host", document);
  check_host(topology.server, "server", document);
}

void check_link(const std::string& pattern, const std::vector<std::string>& links,
                const TopologyScenario& topology, const std::string& place,
                const ScenarioDocument& document) {
  const auto concerns = [&](const std::string& link) { return link_matches(pattern, link); };
  if (std::ranges::none_of(links, concerns)) {
    fail_for_link(pattern, links, true, topology, place, document);
  }
}

void check_single_link(const std::string& name, const std::vector<std::string>& links,
                       const TopologyScenario& topology, const std::string& place,
                       const ScenarioDocument& document) {
  if (std::ranges::find(links, name) == links.end()) {
    fail_for_link(name, links, false, topology, place, document);
  }
}

}  // namespace ina::scenarios
