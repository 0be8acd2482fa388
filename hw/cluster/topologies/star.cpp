// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/topologies/star.hpp"

#include <fmt/format.h>

namespace ina::cluster {

Topology topology_of(const Star& star) {
  Topology topology;
  const auto last = static_cast<SwitchIndex>(star.racks - 1);
  for (SwitchIndex rack = 0; rack < last; ++rack) {
    topology.switches.push_back({fmt::format("rack{}", rack), 0});
    topology.trunks.push_back({rack, last, Tier::uplink});
  }
  topology.switches.push_back({star.racks == 1 ? "switch" : fmt::format("rack{}", last), 0});
  for (std::uint64_t host = 0; host < star.hosts; ++host) {
    topology.switch_of.push_back(static_cast<SwitchIndex>(host * star.racks / star.hosts));
  }
  topology.switch_of.resize(topology.switch_of.size() + star.parameter_servers, last);
  return topology;
}

}  // namespace ina::cluster
