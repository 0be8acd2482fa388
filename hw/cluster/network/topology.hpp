// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "hw/protocol/wire/frame.hpp"

namespace ina::cluster {

/// Number of a switch, from 0; the racks' switches come first.
using SwitchIndex = std::uint16_t;
using TrunkIndex = std::uint32_t;

/// Groups of links that share a rate and a delay.
enum class Tier : std::uint8_t {
  host,    ///< links of hosts and parameter servers
  uplink,  ///< links from a rack's switch to switches above it
  core,    ///< all other links
};

/// The switches of a cluster, their links and hosts.
struct Topology {
  struct Switch {
    std::string name;
    std::uint8_t height = 0;  ///< 0 for racks

    bool operator==(const Switch&) const = default;
  };
  /// A link between two switches.
  struct Trunk {
    SwitchIndex lower = 0;
    SwitchIndex upper = 0;
    Tier tier = Tier::uplink;
    bool dead = false;  ///< it has failed, and no path uses it

    bool ends_at(SwitchIndex at) const { return lower == at || upper == at; }
    /// The end that is not `end`.
    SwitchIndex other_end(SwitchIndex end) const { return lower == end ? upper : lower; }
    bool operator==(const Trunk&) const = default;
  };

  std::vector<Switch> switches;
  std::vector<Trunk> trunks;
  std::vector<SwitchIndex> switch_of;  ///< by HostId: the switch that the host is connected to
  /// By HostId: the first host on the host's machine. All hosts of a machine share the link of this
  /// first host. Empty: each host has its own machine.
  std::vector<std::uint32_t> machine_of = {};

  /// Number of racks. A rack is a switch with hosts, or with the parameter servers.
  SwitchIndex racks() const {
    return static_cast<SwitchIndex>(std::ranges::count(switches, 0, &Switch::height));
  }
  /// Index of the parameter servers' rack, which is the last rack.
  SwitchIndex of_servers() const { return static_cast<SwitchIndex>(racks() - 1); }

  bool operator==(const Topology&) const = default;
};

}  // namespace ina::cluster
