// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hw/cluster/network/topology.hpp"

namespace ina::cluster {

/// One switch with all hosts and parameter servers, or several racks with one switch each. The
/// hosts are divided among the racks in order. The last rack also has the parameter servers, and
/// the switches of all other racks are connected to its switch.
struct Star {
  std::uint32_t hosts = 0;
  std::uint32_t parameter_servers = 0;
  std::uint32_t racks = 1;

  std::uint32_t host_count() const { return hosts; }
  std::uint32_t rack_count() const { return racks; }
};

Topology topology_of(const Star& star);

}  // namespace ina::cluster
