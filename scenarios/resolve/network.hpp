// SPDX-License-Identifier: BSD-3-Clause
// The network of a scenario: its switches, and its links with their names, lines and hosts.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "hw/cluster/network/host_stage.hpp"
#include "hw/cluster/network/topology.hpp"
#include "scenarios/keys/scenario.hpp"

namespace ina::scenarios {

/// A link: the line of its kind, with what topology.links changes of it, and the host at it.
struct NetworkLink {
  LinkScenario line;                   ///< with the delay that was drawn
  cluster::HostStage::Config stage{};  ///< of the host; off between switches
  std::uint64_t stage_seed = 0;        ///< of its HostStage, if that is on
  std::int64_t longest_delay_ps = 0;   ///< that any seed may draw

  /// Time of a frame on the line.
  double line_ps(std::uint32_t frame_bytes) const;
  /// Mean time of a frame in the host, in one direction; 0 if its stage is off.
  double host_ps(std::uint32_t frame_bytes) const;
  /// Longest time of a frame in the host, without its queue.
  double longest_host_ps(std::uint32_t frame_bytes) const;
  /// Mean time between two frames of a size, which the line or the host's cores decide.
  double frame_ps(std::uint32_t frame_bytes) const;
  /// The same where all frames take longest.
  double longest_frame_ps(std::uint32_t frame_bytes) const;
  /// Rate of a line on which such frames would go as they do here.
  std::uint64_t rate_bps_of(std::uint32_t frame_bytes) const;
};

/// Made once of a scenario and a seed.
struct Network {
  /// Builds the topology, which has to be one (check_topology()), and draws what differs between
  /// links. Another link does not change the draws of those with lower numbers.
  Network(const TopologyScenario& scenario, std::uint64_t seed);

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
