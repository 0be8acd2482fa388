// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/resolve/topologies.hpp"

#include <map>
#include <string_view>
#include <variant>

#include "hw/cluster/topologies/fat_tree.hpp"
#include "hw/cluster/topologies/graph.hpp"
#include "hw/cluster/topologies/leaf_spine.hpp"
#include "hw/cluster/topologies/rail.hpp"
#include "hw/cluster/topologies/star.hpp"

namespace ina::scenarios {

namespace {

using Shape = std::variant<cluster::Star, cluster::LeafSpine, cluster::FatTree, cluster::Rail,
                           cluster::Graph>;

/// Index of the servers' switch; by default the last switch with hosts.
std::uint32_t servers_place(const TopologyScenario& scenario) {
  std::uint32_t servers_at = 0;
  for (std::uint32_t place = 0; place < scenario.switches.size(); ++place) {
    const SwitchPlaceScenario& of = scenario.switches[place];
    const bool is_theirs =
        scenario.servers_at.empty() ? of.hosts != 0 : of.name == scenario.servers_at;
    if (is_theirs) servers_at = place;
  }
  return servers_at;
}

cluster::Graph graph_of(const TopologyScenario& scenario) {
  cluster::Graph graph;
  std::map<std::string_view, std::uint32_t> place_of;
  for (const SwitchPlaceScenario& place : scenario.switches) {
    place_of.emplace(place.name, static_cast<std::uint32_t>(graph.switches.size()));
    graph.switches.push_back({place.name, place.hosts});
  }
  for (const TrunkScenario& trunk : scenario.trunks) {
    graph.trunks.emplace_back(place_of.at(trunk.from), place_of.at(trunk.to));
  }
  graph.servers_at = servers_place(scenario);
  graph.parameter_servers = scenario.parameter_servers;
  return graph;
}

Shape shape_of(const TopologyScenario& scenario) {
  switch (scenario.type) {
    case TopologyType::star:
      return cluster::Star{.hosts = scenario.hosts,
                           .parameter_servers = scenario.parameter_servers,
                           .racks = scenario.racks};
    case TopologyType::leaf_spine:
      return cluster::LeafSpine{.racks = scenario.racks,
                                .hosts_per_rack = scenario.hosts_per_rack,
                                .spines = scenario.spines,
                                .parameter_servers = scenario.parameter_servers};
    case TopologyType::fat_tree:
      return cluster::FatTree{.k = scenario.k, .parameter_servers = scenario.parameter_servers};
    case TopologyType::rail:
      return cluster::Rail{.hosts = scenario.hosts,
                           .rails = scenario.rails,
                           .spines = scenario.spines,
                           .parameter_servers = scenario.parameter_servers};
    case TopologyType::graph:
      break;
  }
  return graph_of(scenario);
}

/// Calls `of` with the shape of the scenario's topology type.
template <class Of>
auto with_shape(const TopologyScenario& scenario, Of of) {
  return std::visit(of, shape_of(scenario));
}

}  // namespace

cluster::Topology topology_of(const TopologyScenario& scenario) {
  return with_shape(scenario, [](const auto& shape) { return cluster::topology_of(shape); });
}

std::uint32_t host_count(const TopologyScenario& scenario) {
  return with_shape(scenario, [](const auto& shape) { return shape.host_count(); });
}

}  // namespace ina::scenarios
