// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hw/cluster/network/topology.hpp"
#include "hw/protocol/wire/frame.hpp"

namespace ina::software {

/// The other end of a switch's link: a host, or another switch.
struct Peer {
  bool is_switch = false;
  std::uint16_t number = 0;  ///< HostId or SwitchIndex

  static Peer host(HostId host) { return {false, host}; }
  static Peer of_switch(cluster::SwitchIndex at) { return {true, at}; }
  friend bool operator==(const Peer&, const Peer&) = default;
};

}  // namespace ina::software
