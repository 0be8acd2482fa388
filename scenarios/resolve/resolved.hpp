// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/cluster/spec/spec.hpp"
#include "hw/cluster/traffic/flow_schedule.hpp"
#include "scenarios/keys/scenario.hpp"
#include "scenarios/resolve/network.hpp"
#include "scenarios/resolve/placement.hpp"

namespace ina::scenarios {

/// A scenario with everything that follows from it, for programs that run it or predict a run. All
/// random values known before the run are drawn from the scenario's seed.
struct Resolved {
  Scenario scenario;  ///< after with_sizes()
  Network network;
  Placements placements;
  /// Jobs, trees and faults. Its topology includes the addresses of workers and servers.
  cluster::Spec spec;
  /// Number of each partition within its layer, by job and partition; counted from 1 as in the
  /// send_order of a profile.
  std::vector<std::vector<std::uint32_t>> partition_numbers;
  /// Number of int32 values of a fragment that simulated frames carry.
  std::size_t carried_values = 0;
  std::int64_t time_limit_ps = 0;  ///< simulated time at which a run fails
  /// one per flow of the scenario; hosts by number
  std::vector<cluster::traffic::Pattern> traffic;
  std::vector<std::uint32_t> traffic_machines;  ///< senders and receivers of the flows, ascending

  /// The part that applies to a run on real packets: without faults of links that it does not have.
  cluster::Spec for_processes() const;
};

/// Throws std::invalid_argument if the scenario cannot be placed; those from files are checked
/// before.
Resolved resolve(const Scenario& scenario);

}  // namespace ina::scenarios
