// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hw/protocol/wire/frame.hpp"
#include "hw/protocol/wire/path_choice.hpp"

namespace ina::node {

/// Ports are numbered from 0 in the order in which they were added.
using PortIndex = std::uint16_t;

inline constexpr PortIndex kNoPort = 0xffff;

/// The ports of a switch, and the routing table: which of these ports lead to each host.
class Routes {
 public:
  enum class PortTo : std::uint8_t { host, other_switch };

  PortIndex add_port(PortTo end);
  bool leads_to_switch(PortIndex port) const { return leads_to_switch_[port] != 0; }
  std::size_t port_count() const { return leads_to_switch_.size(); }

  /// Replaces the routes to each of the hosts: afterwards, all of `ports` lead to it.
  void set(std::span<const HostId> hosts, const std::vector<PortIndex>& ports);
  /// `height`: the switch's height, as in wire::pick().
  void set_path_choice(const wire::PathChoice& choice, std::uint8_t height) {
    choice_ = choice;
    height_ = height;
  }
  /// Whether paths are chosen per flow (pair of hosts) and not per job.
  bool are_by_flow() const { return choice_.by_flow; }

  /// The only port to the host; nothing if there are none or several.
  std::optional<PortIndex> only_port_to(HostId host) const {
    const PortIndex route = route_of(host);
    return route < kFirstSet ? std::optional(route) : std::nullopt;
  }
  /// The only port to the frame's destination; empty if there are none or several.
  std::span<const PortIndex> only_port_of(const Frame& frame) const {
    if (route_of(frame.destination) >= kFirstSet) return {};
    return {&route_of_[frame.destination], 1};
  }
  /// All ports that lead to the host equally well.
  std::span<const PortIndex> ports_to(HostId host) const;
  bool leads_to(PortIndex port, HostId host) const {
    const PortIndex route = route_of(host);
    return route == port || (route >= kFirstSet && is_one_of_several(port, host));
  }
  /// Chooses one of `ports`: the same one for all frames of a flow or of a job (wire::PathChoice).
  const PortIndex& pick(std::span<const PortIndex> ports, const Frame& frame) const {
    return ports[wire::pick(choice_.of(frame), height_, ports.size())];
  }
  /// Chooses a port for a flow that belongs to no job, such as a TCP connection.
  const PortIndex& pick(std::span<const PortIndex> ports, std::uint64_t flow) const;

 private:
  /// A value of route_of_ that is at least this one stands for a set of ports in sets_.
  static constexpr PortIndex kFirstSet = 0x8000;

  PortIndex route_of(HostId host) const {
    return host < route_of_.size() ? route_of_[host] : kNoPort;
  }
  bool is_one_of_several(PortIndex port, HostId host) const;

  std::vector<std::uint8_t> leads_to_switch_;  // by PortIndex
  std::vector<PortIndex> route_of_;            // by HostId: a port, or a set of ports
  std::vector<std::vector<PortIndex>> sets_;   // sets of ports that lead to a host equally well
  wire::PathChoice choice_;
  std::uint8_t height_ = 0;
};

}  // namespace ina::node
