// SPDX-License-Identifier: BSD-3-Clause
// At which switches the sums of a scenario's jobs may meet.
#pragma once

#include <map>
#include <set>

#include "hw/cluster/topology.hpp"
#include "scenarios/reader/scenario.hpp"

namespace ina::scenarios {

/// Racks by the roots that jobs in them may have.
struct RootRacks {
  std::map<cluster::SwitchIndex, std::set<cluster::SwitchIndex>> of_workers;
  std::map<cluster::SwitchIndex, std::set<cluster::SwitchIndex>> of_servers;

  /// Whether a root is above the racks.
  bool are_above(const cluster::Topology& network) const;
};

/// With roots by `choice`. Empty if a job cannot be placed or has none. `network`: that of the
/// scenario.
RootRacks racks_by_root(const Scenario& scenario, const cluster::Topology& network,
                        cluster::RootChoice choice);

/// By which choice jobs get their roots: that of the scenario or, if it leaves that open,
/// least_loaded where the system's roots are above the racks (SystemTraits) and switches there join
/// those of each job, otherwise server_leaf.
cluster::RootChoice root_choice(const Scenario& scenario, const cluster::Topology& network);

}  // namespace ina::scenarios
