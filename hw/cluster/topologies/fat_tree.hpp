// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hw/cluster/network/topology.hpp"

namespace ina::cluster {

/// A fat tree of switches with k ports (Al-Fares, Loukissas and Vahdat: A Scalable, Commodity Data
/// Center Network Architecture, SIGCOMM 2008): k pods of k/2 edge and k/2 aggregation switches, k/2
/// hosts at each edge switch, and (k/2)^2 core switches. The parameter servers are attached to
/// additional ports of the last edge switch.
struct FatTree {
  std::uint32_t k = 4;  ///< even
  std::uint32_t parameter_servers = 0;

  std::uint32_t host_count() const { return k * k * k / 4; }
  /// Number of edge switches.
  std::uint32_t rack_count() const { return k * k / 2; }
  std::uint32_t switch_count() const { return 2 * rack_count() + k * k / 4; }
};

/// The edge switches, followed by the aggregation switches and the core switches.
Topology topology_of(const FatTree& shape);

}  // namespace ina::cluster
