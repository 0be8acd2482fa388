// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hw/cluster/network/topology.hpp"

namespace ina::cluster {

/// Switches and links that are written out. Racks are the switches with hosts, and that of the
/// parameter servers; heights of the others are their distances from the next rack.
struct Graph {
  struct Place {
    std::string name;  ///< of no other one
    std::uint32_t hosts = 0;
  };

  std::vector<Place> switches;
  /// Of two places in `switches`, and from the first one up.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> trunks;
  std::uint32_t servers_at = 0;  ///< a place in `switches`
  std::uint32_t parameter_servers = 0;

  std::uint32_t host_count() const;
  std::uint32_t rack_count() const;
  bool is_rack(std::size_t place) const {
    return place == servers_at || switches[place].hosts != 0;
  }
};

/// The racks but that of the servers, that, then the others; hosts in the order of `switches`.
/// Whoever is not linked to a rack has height 0.
Topology topology_of(const Graph& graph);

}  // namespace ina::cluster
