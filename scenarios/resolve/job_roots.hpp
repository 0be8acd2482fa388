// SPDX-License-Identifier: BSD-3-Clause
// The possible roots of a scenario's jobs. A root is the switch at which all sums of a job meet.
#pragma once

#include <map>
#include <set>

#include "scenarios/keys/scenario.hpp"
#include "scenarios/resolve/network.hpp"

namespace ina::scenarios {

/// For each switch that may be a job's root: the racks that have members of such jobs.
struct RootRacks {
  std::map<cluster::SwitchIndex, std::set<cluster::SwitchIndex>> of_workers;
  std::map<cluster::SwitchIndex, std::set<cluster::SwitchIndex>> of_servers;

  /// Whether any root serves a rack other than itself.
  bool join_racks() const;
};

/// Finds them for jobs that choose their roots by `choice`. Empty if a job cannot be placed or has
/// no root.
RootRacks racks_by_root(const Scenario& scenario, const Network& network,
                        cluster::RootChoice choice);

/// How jobs choose their roots: as the scenario says, if it does. Otherwise it is least_loaded if
/// the system chooses roots (SystemTraits), a job spans several racks, and every job then has a
/// root; in all other cases server_leaf.
cluster::RootChoice root_choice(const Scenario& scenario, const Network& network);

}  // namespace ina::scenarios
