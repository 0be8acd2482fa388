// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/topologies/fat_tree.hpp"

#include <fmt/format.h>

#include <string_view>

namespace ina::cluster {

namespace {

void add_switches(Topology& topology, std::string_view name, std::uint32_t count,
                  std::uint8_t height) {
  for (std::uint32_t i = 0; i < count; ++i) {
    topology.switches.push_back({fmt::format("{}{}", name, i), height});
  }
}

/// Connects every edge switch of a pod to every aggregation switch of the pod.
void add_pods(Topology& topology, const FatTree& shape) {
  const std::uint32_t half = shape.k / 2;
  for (std::uint32_t edge = 0; edge < shape.rack_count(); ++edge) {
    const std::uint32_t first = shape.rack_count() + edge / half * half;
    for (std::uint32_t i = 0; i < half; ++i) {
      topology.trunks.push_back(
          {static_cast<SwitchIndex>(edge), static_cast<SwitchIndex>(first + i), Tier::uplink});
    }
  }
}

/// Connects aggregation switch i of each pod to the i-th k/2 core switches.
void add_core(Topology& topology, const FatTree& shape) {
  const std::uint32_t half = shape.k / 2;
  const std::uint32_t first = 2 * shape.rack_count();
  for (std::uint32_t aggregation = 0; aggregation < shape.rack_count(); ++aggregation) {
    for (std::uint32_t i = 0; i < half; ++i) {
      topology.trunks.push_back({static_cast<SwitchIndex>(shape.rack_count() + aggregation),
                                 static_cast<SwitchIndex>(first + aggregation % half * half + i),
                                 Tier::core});
    }
  }
}

}  // namespace

Topology topology_of(const FatTree& shape) {
  const std::uint32_t half = shape.k / 2;
  Topology topology;
  add_switches(topology, "edge", shape.rack_count(), 0);
  add_switches(topology, "aggregation", shape.rack_count(), 1);
  add_switches(topology, "core", half * half, 2);
  add_pods(topology, shape);
  add_core(topology, shape);
  for (std::uint32_t host = 0; host < shape.host_count(); ++host) {
    topology.switch_of.push_back(static_cast<SwitchIndex>(host / half));
  }
  topology.switch_of.resize(topology.switch_of.size() + shape.parameter_servers,
                            static_cast<SwitchIndex>(shape.rack_count() - 1));
  return topology;
}

}  // namespace ina::cluster
