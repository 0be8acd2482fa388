// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include "hw/protocol/transport/peer_schedule.hpp"

namespace ina::schedules {

/// Ring (Patarasuk and Yuan, JPDC 2009). Chunk c begins at worker c and passes from worker to
/// worker. After n - 1 steps, the worker before c has the chunk's sum (reduce-scatter). The sum
/// then passes around the ring for another n - 1 steps (all-gather).
struct Ring {
  static constexpr std::string_view kName = "ring";
  static constexpr std::string_view kTitle = "ring all-reduce";
  static constexpr std::string_view kLabel = "Ring";

  static std::uint32_t steps(std::uint16_t workers) { return 2 * (workers - 1U); }

  static PeerSchedule make(std::uint16_t rank, std::uint16_t workers) {
    using Peer = PeerSchedule::Peer;
    const auto next = static_cast<std::uint16_t>((rank + 1) % workers);
    const auto previous = static_cast<std::uint16_t>((rank + workers - 1) % workers);
    constexpr Peer kNext = 0;
    const Peer from_previous = previous == next ? kNext : 1;

    PeerSchedule schedule;
    schedule.ranks = {next};
    if (previous != next) schedule.ranks.push_back(previous);
    for (std::uint16_t chunk = 0; chunk < workers; ++chunk) {
      const int added_before = (rank + workers - chunk) % workers;
      const bool begins = added_before == 0;
      const bool completes = added_before + 1 == workers;
      const bool ends = added_before + 2 == workers;  // the next worker has completed the chunk
      PeerSchedule::Route route;
      if (!begins) route.parts_from = {from_previous, static_cast<Peer>(from_previous + 1)};
      if (!completes) {
        route.sum_to = kNext;
        route.result_from = from_previous;
      }
      if (!ends) route.result_to = {kNext, kNext + 1};
      schedule.routes.push_back(route);
    }
    schedule.begins.resize(schedule.ranks.size());
    schedule.begins[kNext] = {rank};
    return schedule;
  }
};

}  // namespace ina::schedules
