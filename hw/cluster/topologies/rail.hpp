// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hw/cluster/network/topology.hpp"

namespace ina::cluster {

/// Hosts with several ports, as in GPU clusters. Port r of every host is connected to the switch of
/// rail r, which has a link to every spine. A port holds one worker and has its own HostId; ports
/// of the first rail come first, by host. The parameter servers are on the last rail.
struct Rail {
  std::uint32_t hosts = 1;
  std::uint32_t rails = 1;
  std::uint32_t spines = 1;
  std::uint32_t parameter_servers = 0;

  /// Number of ports.
  std::uint32_t host_count() const { return hosts * rails; }
  std::uint32_t rack_count() const { return rails; }
};

/// The switches of the rails, followed by the spines.
Topology topology_of(const Rail& shape);

}  // namespace ina::cluster
