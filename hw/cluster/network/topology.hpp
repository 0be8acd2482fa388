// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "hw/protocol/wire/frame.hpp"

namespace ina::cluster {

/// Switches count from 0, first those of the racks.
using SwitchIndex = std::uint16_t;
using TrunkIndex = std::uint32_t;

/// Which links have a rate and a delay in common.
enum class Tier : std::uint8_t {
  host,    ///< of hosts and parameter servers
  uplink,  ///< of a rack's switch to those above
  core,    ///< above these
};

/// The switches of a cluster, and what hangs on them.
struct Topology {
  struct Switch {
    std::string name;
    std::uint8_t height = 0;  ///< racks: 0

    bool operator==(const Switch&) const = default;
  };
  /// A link between two switches.
  struct Trunk {
    SwitchIndex lower = 0;
    SwitchIndex upper = 0;
    Tier tier = Tier::uplink;
    bool dead = false;  ///< no way leads by it

    bool ends_at(SwitchIndex at) const { return lower == at || upper == at; }
    /// Seen from one at which it ends.
    SwitchIndex other_end(SwitchIndex end) const { return lower == end ? upper : lower; }
    bool operator==(const Trunk&) const = default;
  };

  std::vector<Switch> switches;
  std::vector<Trunk> trunks;
  std::vector<SwitchIndex> switch_of;  ///< by HostId: the one that the host hangs on
  /// By HostId: the first one on the same machine, which shares its link; empty: all are alone.
  std::vector<std::uint32_t> machine_of = {};

  /// Those with hosts.
  SwitchIndex racks() const {
    return static_cast<SwitchIndex>(std::ranges::count(switches, 0, &Switch::height));
  }
  /// The rack of the parameter servers: the last one.
  SwitchIndex of_servers() const { return static_cast<SwitchIndex>(racks() - 1); }

  bool operator==(const Topology&) const = default;
};

}  // namespace ina::cluster
