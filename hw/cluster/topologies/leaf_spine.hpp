// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hw/cluster/network/topology.hpp"

namespace ina::cluster {

/// Racks, each with a leaf switch that has a link to every spine. The parameter servers are in the
/// last rack, in addition to its hosts.
struct LeafSpine {
  std::uint32_t racks = 2;
  std::uint32_t hosts_per_rack = 1;
  std::uint32_t spines = 1;
  std::uint32_t parameter_servers = 0;

  std::uint32_t host_count() const { return racks * hosts_per_rack; }
  std::uint32_t rack_count() const { return racks; }
};

/// The leaf switches, followed by the spines.
Topology topology_of(const LeafSpine& shape);

}  // namespace ina::cluster
