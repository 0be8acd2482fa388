// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hw/protocol/wire/frame.hpp"

namespace ina::software {

/// What a switch's link leads to: a host, or the switch of a rack.
struct Peer {
  bool is_switch = false;
  std::uint16_t number = 0;  ///< the host, or the rack

  static Peer host(HostId host) { return {false, host}; }
  static Peer rack(std::uint16_t rack) { return {true, rack}; }
  friend bool operator==(const Peer&, const Peer&) = default;
};

}  // namespace ina::software
