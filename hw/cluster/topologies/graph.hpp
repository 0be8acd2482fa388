// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hw/cluster/network/topology.hpp"

namespace ina::cluster {

/// A topology given as a list of switches and links. Racks are the switches with hosts or with the
/// parameter servers. The height of any other switch is its distance from the nearest rack.
struct Graph {
  struct Place {
    std::string name;  ///< unique
    std::uint32_t hosts = 0;
  };

  std::vector<Place> switches;
  /// Pairs of indices in `switches`; the second switch is the upper one.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> trunks;
  std::uint32_t servers_at = 0;  ///< index in `switches` of the parameter servers' switch
  std::uint32_t parameter_servers = 0;

  std::uint32_t host_count() const;
  std::uint32_t rack_count() const;
  bool is_rack(std::size_t place) const {
    return place == servers_at || switches[place].hosts != 0;
  }
};

/// Order of switches: the racks without parameter servers, the rack with them, all other switches.
/// Hosts are in the order of `switches`. A switch without a path to a rack has height 0.
Topology topology_of(const Graph& graph);

}  // namespace ina::cluster
