// SPDX-License-Identifier: BSD-3-Clause
// The possible roots of a scenario's jobs. A root is the switch at which all sums of a job meet.
#pragma once

#include <map>
#include <set>

#include "scenarios/keys/scenario.hpp"
#include "scenarios/resolve/network.hpp"

namespace ina::scenarios {

/// For each switch that may be a root: the racks with workers or servers of the jobs it may serve.
struct RootRacks {
  std::map<cluster::SwitchIndex, std::set<cluster::SwitchIndex>> of_workers;
  std::map<cluster::SwitchIndex, std::set<cluster::SwitchIndex>> of_servers;

  /// Whether any possible root has members in a rack of another switch.
  bool join_racks() const;
};

/// Possible roots, and their racks, of jobs that choose their roots by `choice`. Empty if a job
/// cannot be placed or has no root.
RootRacks racks_by_root(const Scenario& scenario, const Network& network,
                        cluster::RootChoice choice);

/// How jobs choose their roots: the scenario's choice, if it has one. Otherwise least_loaded, if
/// the system chooses roots (SystemTraits), some job spans several racks, and least_loaded finds a
/// root for every job. In all other cases server_leaf.
cluster::RootChoice root_choice(const Scenario& scenario, const Network& network);

}  // namespace ina::scenarios
