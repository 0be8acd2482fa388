// SPDX-License-Identifier: BSD-3-Clause
// At which switches the sums of a scenario's jobs may meet.
#pragma once

#include <map>
#include <set>

#include "scenarios/keys/scenario.hpp"
#include "scenarios/resolve/network.hpp"

namespace ina::scenarios {

/// Racks by the roots that jobs in them may have.
struct RootRacks {
  std::map<cluster::SwitchIndex, std::set<cluster::SwitchIndex>> of_workers;
  std::map<cluster::SwitchIndex, std::set<cluster::SwitchIndex>> of_servers;

  /// Whether a root joins a rack to another one.
  bool join_racks() const;
};

/// With roots by `choice`. Empty if a job cannot be placed or has none.
RootRacks racks_by_root(const Scenario& scenario, const Network& network,
                        cluster::RootChoice choice);

/// By which choice jobs get their roots: that of the scenario or, if it leaves that open,
/// least_loaded where the system chooses its roots (SystemTraits), a job is in several racks and
/// every job has a root, otherwise server_leaf.
cluster::RootChoice root_choice(const Scenario& scenario, const Network& network);

}  // namespace ina::scenarios
