// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hw/cluster/network/topology.hpp"

namespace ina::cluster {

/// All hosts, then all parameter servers, on one switch. Or racks with a switch each, among which
/// the hosts are divided in order; the last one has the parameter servers too, and the others'
/// switches hang on its switch.
struct Star {
  std::uint32_t hosts = 0;
  std::uint32_t parameter_servers = 0;
  std::uint32_t racks = 1;

  std::uint32_t host_count() const { return hosts; }
  std::uint32_t rack_count() const { return racks; }
};

Topology topology_of(const Star& star);

}  // namespace ina::cluster
