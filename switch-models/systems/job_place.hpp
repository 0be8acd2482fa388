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

/// What one switch has to know of a job, in every world.
struct JobPlace {
  programs::TreeLevel level = programs::TreeLevel::only;
  std::uint8_t branch = 0;          ///< of a leaf, at the root
  std::uint8_t branches = 0;        ///< of the job; 0: it has one level
  std::uint16_t contributions = 0;  ///< of workers and leaves to a task, at this switch
  node::JobMembers members;

  /// `entry`: what the system makes of `contributions`.
  programs::JobEntry complete(programs::JobEntry entry) const {
    entry.level = level;
    entry.branch = branch;
    entry.branches = branches;
    return entry;
  }
};

/// Where the parts of a job's tree are.
struct JobRacks {
  const cluster::JobHosts& hosts;
  std::span<const wire::AggregationPath> paths;  ///< by rank
  std::uint16_t root;                            ///< the switch where its sums meet
};

/// At the switch of a rack that has workers of the job, or at the root. `below`: the workers whose
/// gradients come there. A job without a server that is in one rack is added up there, and nowhere
/// else. One with a server is added up twice unless all of it is at the root.
JobPlace place_of(const JobRacks& job, std::uint16_t rack, const std::vector<HostId>& below);

/// As the control plane registers it, at any switch that its frames pass.
JobPlace place_of(const cluster::Registration& job, cluster::SwitchIndex at);

/// The ports of that switch by which frames of the job leave. `trunks`: those to other switches;
/// `to_host`: that to a host that hangs on it.
node::JobPorts ports_of(const cluster::Registration& job, cluster::SwitchIndex at,
                        const std::map<cluster::TrunkIndex, node::PortIndex>& trunks,
                        const std::function<node::PortIndex(HostId)>& to_host);

}  // namespace ina::systems
