// SPDX-License-Identifier: BSD-3-Clause
// The network of a scenario: its switches, and its links with their names, rates and hosts.
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

/// A link and the host at its lower end. topology.links may change the values of the link's kind.
struct NetworkLink {
  LinkScenario line;                   ///< with the random delay of this seed
  cluster::HostStage::Config stage{};  ///< the host's; off for links between switches
  std::uint64_t stage_seed = 0;        ///< seed of the HostStage, if it is on
  std::int64_t longest_delay_ps = 0;   ///< maximum over all seeds

  /// Transmission time of a frame on the line, with framing.
  double line_ps(std::uint32_t frame_bytes) const;
  /// Mean processing time of a frame in the host, per direction; 0 if its stage is off.
  double host_ps(std::uint32_t frame_bytes) const;
  /// Maximum processing time of a frame in the host, without queueing.
  double longest_host_ps(std::uint32_t frame_bytes) const;
  /// Mean time between two frames of this size, limited by the line or by the host's cores.
  double frame_ps(std::uint32_t frame_bytes) const;
  /// Like frame_ps(), but every frame takes the maximum processing time.
  double longest_frame_ps(std::uint32_t frame_bytes) const;
  /// Rate of a line that alone would carry frames of this size as fast as this line and host do.
  std::uint64_t rate_bps_of(std::uint32_t frame_bytes) const;
};

/// Network of one scenario for one seed.
struct Network {
  /// Builds the topology, which must be valid (check_topology()), and chooses the random values of
  /// each link. If a link is added, links with lower numbers keep their random values.
  Network(const TopologyScenario& scenario, std::uint64_t seed);

  cluster::Topology topology;
  std::uint32_t host_count = 0;          ///< hosts for workers only
  std::vector<NetworkLink> hosts;        ///< by HostId, parameter servers included
  std::vector<NetworkLink> trunks;       ///< by TrunkIndex
  std::vector<std::string> host_names;   ///< of the links of `hosts`
  std::vector<std::string> trunk_names;  ///< of the links of `trunks`

  /// Names of all links: trunks, then hosts, then parameter servers.
  std::vector<std::string> link_names() const;

  using Cost = std::function<double(const NetworkLink&)>;
  /// Maximum total cost of the trunks on a shortest path, over all shortest paths from racks to the
  /// parameter servers' switch; 0 if there is only one rack.
  double costliest_path(const Cost& cost) const;
  /// The same for paths from the given racks to the switch `to`.
  double costliest_path(const std::set<cluster::SwitchIndex>& racks, cluster::SwitchIndex to,
                        const Cost& cost) const;
  /// Maximum cost of a single trunk on the paths of costliest_path().
  double costliest_trunk(const Cost& cost) const;
  double costliest_trunk(const std::set<cluster::SwitchIndex>& racks, cluster::SwitchIndex to,
                         const Cost& cost) const;
  double costliest_host(const Cost& cost) const;
};

}  // namespace ina::scenarios
