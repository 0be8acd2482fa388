// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/topologies/rail.hpp"

#include <fmt/format.h>

#include "hw/cluster/topologies/leaf_spine.hpp"

namespace ina::cluster {

/// A rail is a rack with one port of each host. The network does not know that ports share a host.
Topology topology_of(const Rail& shape) {
  Topology topology = topology_of(LeafSpine{.racks = shape.rails,
                                            .hosts_per_rack = shape.hosts,
                                            .spines = shape.spines,
                                            .parameter_servers = shape.parameter_servers});
  for (std::uint32_t rail = 0; rail < shape.rails; ++rail) {
    topology.switches[rail].name = fmt::format("rail{}", rail);
  }
  return topology;
}

}  // namespace ina::cluster
