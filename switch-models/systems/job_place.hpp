// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "hw/cluster/control/control_plane.hpp"
#include "hw/protocol/wire/aggregation_path.hpp"
#include "switch-models/node/switch_node.hpp"
#include "switch-models/programs/switch_program.hpp"

namespace ina::systems {

/// A switch's role in a job, for the simulator and for real switches.
struct JobPlace {
  programs::TreeLevel level = programs::TreeLevel::only;
  std::uint8_t branch = 0;          ///< a leaf's branch at the root
  std::uint8_t branches = 0;        ///< branches of the job; 0: the job has one level
  std::uint16_t contributions = 0;  ///< number of contributions to a task, from workers and leaves,
                                    ///< at this switch
  node::JobMembers members;

  /// `entry`: the system's entry for `contributions`.
  programs::JobEntry complete(programs::JobEntry entry) const {
    entry.level = level;
    entry.branch = branch;
    entry.branches = branches;
    return entry;
  }
};

/// The locations of a job's members.
struct JobRacks {
  const cluster::JobHosts& hosts;
  std::span<const wire::AggregationPath> paths;  ///< by rank
  std::uint16_t root;                            ///< the switch at which the job's sums meet
};

/// The role of a rack's switch that has workers of the job, or of the root. `below`: the workers
/// whose gradients pass this switch. A job without a server within one rack is added only there. A
/// job with a server is added at two levels unless all of it is at the root.
JobPlace place_of(const JobRacks& job, std::uint16_t rack, const std::vector<HostId>& below);

/// The role of any switch that the job's frames pass, as the control plane registers it.
JobPlace place_of(const cluster::Registration& job, cluster::SwitchIndex at);

/// The ports of that switch by which the job's frames leave. `trunks`: ports to other switches;
/// `to_host`: the port to a host that is attached to the switch.
node::JobPorts ports_of(const cluster::Registration& job, cluster::SwitchIndex at,
                        const std::map<cluster::TrunkIndex, node::PortIndex>& trunks,
                        const std::function<node::PortIndex(HostId)>& to_host);

}  // namespace ina::systems
