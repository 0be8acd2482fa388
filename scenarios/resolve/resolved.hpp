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

/// A scenario with everything that follows from it, for programs that run it or predict a run. The
/// scenario's seed determines all random values that are needed before the run.
struct Resolved {
  Scenario scenario;  ///< after with_sizes()
  Network network;
  Placements placements;
  /// Jobs, trees and faults. Its topology includes the addresses of workers and servers.
  cluster::Spec spec;
  /// By job and partition: number of the partition within its layer, from 1, as in the send_order
  /// of a profile.
  std::vector<std::vector<std::uint32_t>> partition_numbers;
  /// Number of values that simulated frames carry per fragment.
  std::size_t carried_values = 0;
  std::int64_t time_limit_ps = 0;  ///< simulated time at which a run fails
  /// One pattern per entry of traffic.flows, with numbers of hosts.
  std::vector<cluster::traffic::Pattern> traffic;
  std::vector<std::uint32_t> traffic_machines;  ///< senders and receivers of the flows, ascending

  /// The spec of a run on real packets. It lacks unused links, and therefore their faults.
  cluster::Spec for_processes() const;
};

/// Throws std::invalid_argument if jobs, hosts, servers or faults of the scenario are not valid.
/// Scenarios that were read from files are valid.
Resolved resolve(const Scenario& scenario);

}  // namespace ina::scenarios
