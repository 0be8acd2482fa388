// SPDX-License-Identifier: BSD-3-Clause
// What each link of a scenario has: that of its kind, and what topology.links gives it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "hw/cluster/topology.hpp"
#include "scenarios/reader/scenario.hpp"

namespace ina::scenarios {

struct ClusterLink {
  LinkScenario line;
  /// Of the host at it, each way; none: any number.
  std::optional<std::uint64_t> packets_per_second;

  /// Between two frames of a size: their time on the line, or in the host if that is longer.
  double frame_ps(std::uint32_t frame_bytes) const;
  /// Of a line on which such frames would go as they do here.
  std::uint64_t rate_bps_of(std::uint32_t frame_bytes) const;
};

struct ClusterLinks {
  /// Builds the topology, which has to be one (check_topology()).
  explicit ClusterLinks(const TopologyScenario& scenario);

  cluster::Topology topology;
  std::vector<ClusterLink> hosts;   ///< by HostId, the parameter servers' too
  std::vector<ClusterLink> trunks;  ///< by TrunkIndex

  using Cost = std::function<double(const ClusterLink&)>;
  /// Of the trunks on a way from a rack to the parameter servers' switch, one after the other; on
  /// the dearest of all shortest ways. 0 if there is one rack.
  double dearest_way(const Cost& cost) const;
  /// The same from some racks to a switch.
  double dearest_way(const std::set<cluster::SwitchIndex>& racks, cluster::SwitchIndex to,
                     const Cost& cost) const;
  /// Of one trunk that is on such ways, likewise.
  double dearest_trunk(const Cost& cost) const;
  double dearest_trunk(const std::set<cluster::SwitchIndex>& racks, cluster::SwitchIndex to,
                       const Cost& cost) const;
  double dearest_host(const Cost& cost) const;
};

}  // namespace ina::scenarios
