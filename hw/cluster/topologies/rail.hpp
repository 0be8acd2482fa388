// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hw/cluster/network/topology.hpp"

namespace ina::cluster {

/// Hosts with several ports, as in clusters of GPUs: port r of every host hangs on the switch of
/// rail r, and from each of these a link goes to every spine. A port is a place for a worker, and
/// has a HostId: those of the first rail come first, by host. The parameter servers are on the last
/// rail.
struct Rail {
  std::uint32_t hosts = 1;
  std::uint32_t rails = 1;
  std::uint32_t spines = 1;
  std::uint32_t parameter_servers = 0;

  /// Of ports.
  std::uint32_t host_count() const { return hosts * rails; }
  std::uint32_t rack_count() const { return rails; }
};

/// The switches of the rails, then the spines.
Topology topology_of(const Rail& shape);

}  // namespace ina::cluster
