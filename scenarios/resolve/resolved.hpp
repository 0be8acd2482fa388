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

/// A scenario with everything that follows from it, for all who run it or predict a run. All that
/// is random and known before the run is drawn, by the scenario's seed.
struct Resolved {
  Scenario scenario;  ///< with its sizes
  Network network;
  Placements placements;
  /// Jobs, trees, faults. Its topology has the addresses of workers and servers, too.
  cluster::Spec spec;
  /// By job and partition: its number within its layer, from 1, as in a profile's send_order.
  std::vector<std::vector<std::uint32_t>> partition_numbers;
  /// int32 values of a fragment that simulated frames carry.
  std::size_t carried_values = 0;
  std::int64_t time_limit_ps = 0;                  ///< simulated time after which a run has failed
  std::vector<cluster::traffic::Pattern> traffic;  ///< one for each of its flows, by host
  std::vector<std::uint32_t> traffic_machines;     ///< that send or receive it, ascending

  /// What takes part in a run on real packets: faults of other links are left out.
  cluster::Spec for_processes() const;
};

/// Throws std::invalid_argument if a scenario that no file reader has checked cannot be placed.
Resolved resolve(const Scenario& scenario);

}  // namespace ina::scenarios
