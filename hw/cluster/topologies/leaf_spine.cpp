// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/topologies/leaf_spine.hpp"

#include <fmt/format.h>

namespace ina::cluster {

Topology topology_of(const LeafSpine& shape) {
  Topology topology;
  for (std::uint32_t leaf = 0; leaf < shape.racks; ++leaf) {
    topology.switches.push_back({fmt::format("leaf{}", leaf), 0});
    topology.switch_of.resize(topology.switch_of.size() + shape.hosts_per_rack,
                              static_cast<SwitchIndex>(leaf));
    for (std::uint32_t spine = 0; spine < shape.spines; ++spine) {
      topology.trunks.push_back({static_cast<SwitchIndex>(leaf),
                                 static_cast<SwitchIndex>(shape.racks + spine), Tier::uplink});
    }
  }
  for (std::uint32_t spine = 0; spine < shape.spines; ++spine) {
    topology.switches.push_back({fmt::format("spine{}", spine), 1});
  }
  topology.switch_of.resize(topology.switch_of.size() + shape.parameter_servers,
                            static_cast<SwitchIndex>(shape.racks - 1));
  return topology;
}

}  // namespace ina::cluster
