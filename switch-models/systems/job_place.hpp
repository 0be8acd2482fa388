// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/cluster/control_plane.hpp"
#include "hw/protocol/wire/aggregation_path.hpp"
#include "switch-models/node/switch_node.hpp"
#include "switch-models/programs/switch_program.hpp"

namespace ina::systems {

/// What one switch has to know of a job, in every world.
struct JobPlace {
  programs::TreeLevel level = programs::TreeLevel::only;
  std::uint8_t branch = 0;          ///< of a leaf, at the root
  std::uint16_t contributions = 0;  ///< of workers and leaves to a task, at this switch
  node::JobMembers members;

  /// `entry`: what the system makes of `contributions`.
  programs::JobEntry complete(programs::JobEntry entry) const {
    entry.level = level;
    entry.branch = branch;
    return entry;
  }
};

/// The racks of a job's tree.
struct JobTree {
  const cluster::JobHosts& hosts;
  std::span<const wire::AggregationPath> paths;  ///< by rank
  std::uint16_t root;                            ///< the servers' rack
};

/// At the switch of a rack that has workers of the job, or at the root. `below`: the workers whose
/// gradients come there. A job without a server that is in one rack is added up there, and nowhere
/// else.
JobPlace place_of(const JobTree& job, std::uint16_t rack, const std::vector<HostId>& below);

/// As the control plane registers it, at the switch of the rack; `root`: the last one.
inline JobPlace place_of(const cluster::Registration& job, std::size_t rack) {
  const auto root = static_cast<std::uint16_t>(job.below.size() - 1);
  return place_of({job.hosts, job.paths, root}, static_cast<std::uint16_t>(rack), job.below[rack]);
}

}  // namespace ina::systems
