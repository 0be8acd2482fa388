// SPDX-License-Identifier: BSD-3-Clause
// Possible roots of a scenario's jobs: switches at which all sums of a job meet.
#pragma once

#include <map>
#include <set>

#include "scenarios/keys/scenario.hpp"
#include "scenarios/resolve/network.hpp"

namespace ina::scenarios {

/// Racks with members of jobs, by the roots that these jobs may have.
struct RootRacks {
  std::map<cluster::SwitchIndex, std::set<cluster::SwitchIndex>> of_workers;
  std::map<cluster::SwitchIndex, std::set<cluster::SwitchIndex>> of_servers;

  /// Whether some root serves a rack other than its own.
  bool join_racks() const;
};

/// The racks by root if all jobs choose their roots by `choice`. Empty if a job cannot be placed or
/// has no root.
RootRacks racks_by_root(const Scenario& scenario, const Network& network,
                        cluster::RootChoice choice);

/// How jobs choose their roots. The scenario's choice has precedence. Otherwise it is least_loaded
/// if the system can choose its roots (SystemTraits), a job spans several racks, and every job has
/// a root; else server_leaf.
cluster::RootChoice root_choice(const Scenario& scenario, const Network& network);

}  // namespace ina::scenarios
