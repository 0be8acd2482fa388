// SPDX-License-Identifier: BSD-3-Clause
// The network of a scenario: its switches, and its links with their names, lines and limits.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hw/cluster/network/topology.hpp"
#include "scenarios/keys/scenario.hpp"

namespace ina::scenarios {

/// A link: the line of its kind, with what topology.links changes of it.
struct NetworkLink {
  LinkScenario line;
  /// Of the host at it, each way; none: any number.
  std::optional<std::uint64_t> packets_per_second;

  /// Between two frames of a size: their time on the line, or in the host if that is longer.
  double frame_ps(std::uint32_t frame_bytes) const;
  /// Of a line on which such frames would go as they do here.
  std::uint64_t rate_bps_of(std::uint32_t frame_bytes) const;
};

/// Made once of a scenario.
struct Network {
  /// Builds the topology, which has to be one (check_topology()).
  explicit Network(const TopologyScenario& scenario);

  cluster::Topology topology;
  std::uint32_t host_count = 0;          ///< of those for workers
  std::vector<NetworkLink> hosts;        ///< by HostId, the parameter servers' too
  std::vector<NetworkLink> trunks;       ///< by TrunkIndex
  std::vector<std::string> host_names;   ///< of the links of `hosts`
  std::vector<std::string> trunk_names;  ///< of the links of `trunks`

  /// Of all links: the trunks, the hosts', then the parameter servers'.
  std::vector<std::string> link_names() const;

  using Cost = std::function<double(const NetworkLink&)>;
  /// Of the trunks on a way from a rack to the parameter servers' switch, one after the other; on
  /// the dearest of all shortest ways. 0 if there is one rack.
  double costliest_path(const Cost& cost) const;
  /// The same from some racks to a switch.
  double costliest_path(const std::set<cluster::SwitchIndex>& racks, cluster::SwitchIndex to,
                        const Cost& cost) const;
  /// Of one trunk that is on such ways, likewise.
  double costliest_trunk(const Cost& cost) const;
  double costliest_trunk(const std::set<cluster::SwitchIndex>& racks, cluster::SwitchIndex to,
                         const Cost& cost) const;
  double costliest_host(const Cost& cost) const;
};

}  // namespace ina::scenarios
