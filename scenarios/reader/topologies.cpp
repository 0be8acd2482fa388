// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/topologies.hpp"

#include <variant>

#include "hw/cluster/topologies/fat_tree.hpp"
#include "hw/cluster/topologies/leaf_spine.hpp"
#include "hw/cluster/topologies/star.hpp"

namespace ina::scenarios {

using cluster::Tier;

namespace {

using Shape = std::variant<cluster::Star, cluster::LeafSpine, cluster::FatTree>;

Shape shape_of(const TopologyScenario& scenario) {
  if (scenario.type == TopologyType::leaf_spine) {
    return cluster::LeafSpine{.racks = scenario.racks,
                              .hosts_per_rack = scenario.hosts_per_rack,
                              .spines = scenario.spines,
                              .parameter_servers = scenario.parameter_servers};
  }
  if (scenario.type == TopologyType::fat_tree) {
    return cluster::FatTree{.k = scenario.k, .parameter_servers = scenario.parameter_servers};
  }
  return cluster::Star{.hosts = scenario.hosts,
                       .parameter_servers = scenario.parameter_servers,
                       .racks = scenario.racks};
}

/// What `of` returns for the shape, of whichever type it is.
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

std::uint32_t rack_count(const TopologyScenario& scenario) {
  return with_shape(scenario, [](const auto& shape) { return shape.rack_count(); });
}

const LinkScenario& link_of(const TopologyScenario& scenario, Tier tier) {
  if (tier == Tier::host) return scenario.link;
  return tier == Tier::uplink ? scenario.uplink : scenario.core;
}

std::vector<LinkScenario> trunks_to_server(const TopologyScenario& scenario) {
  std::vector<LinkScenario> trunks;
  for (const Tier tier : with_shape(scenario, [](const auto& s) { return s.longest_way(); })) {
    trunks.push_back(link_of(scenario, tier));
  }
  return trunks;
}

}  // namespace ina::scenarios
