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
  std::uint8_t branch = 0;          ///< at a leaf: index of its branch at the root
  std::uint8_t branches = 0;        ///< number of the job's branches; 0: only one level
  std::uint16_t contributions = 0;  ///< number of contributions per task, from workers or branches,
                                    ///< that this switch adds
  node::JobMembers members;

  /// Adds this role to `entry`, which SwitchHalf::job_entry() made for `contributions`.
  programs::JobEntry complete(programs::JobEntry entry) const {
    entry.level = level;
    entry.branch = branch;
    entry.branches = branches;
    return entry;
  }
};

/// A job's hosts with the switches (racks) to which they are attached.
struct JobRacks {
  const cluster::JobHosts& hosts;
  std::span<const wire::AggregationPath> paths;  ///< by rank
  std::uint16_t root;                            ///< the switch at which the job's sums meet
};

/// The role of a rack's switch, which must be the root or have workers of the job. `below`: the
/// workers whose gradients pass this switch. A job without a server has one level if one rack has
/// all its workers; a job with servers has one level if the root's rack has all its workers.
JobPlace place_of(const JobRacks& job, std::uint16_t rack, const std::vector<HostId>& below);

/// The role of any switch through which the frames of a job with this registration pass.
JobPlace place_of(const cluster::Registration& job, cluster::SwitchIndex at);

/// The ports of switch `at` through which the job's frames leave. `trunks`: port of each trunk to
/// another switch; `to_host`: returns the port to a host that is attached to the switch.
node::JobPorts ports_of(const cluster::Registration& job, cluster::SwitchIndex at,
                        const std::map<cluster::TrunkIndex, node::PortIndex>& trunks,
                        const std::function<node::PortIndex(HostId)>& to_host);

}  // namespace ina::systems
