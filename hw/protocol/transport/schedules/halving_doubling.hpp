// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "hw/protocol/transport/peer_schedule.hpp"

namespace ina::schedules {

/// Recursive halving and doubling (Thakur, Rabenseifner and Gropp, IJHPCA 2005). Each of n = 2^k
/// workers exchanges half of its data with the worker at distance n/2, then a quarter with the
/// worker at distance n/4, and so on. After k steps worker c has the sum of chunk c. The steps are
/// then repeated in reverse order to distribute the sums. If there are more than 2^k but fewer than
/// 2^(k+1) workers, each further one sends all its data to one of the n, which returns the sums.
struct HalvingDoubling {
  using Peer = PeerSchedule::Peer;

  static constexpr std::string_view kName = "halving_doubling";
  static constexpr std::string_view kTitle = "halving-doubling all-reduce";
  static constexpr std::string_view kLabel = "Halving-doubling";

  static std::uint32_t steps(std::uint16_t workers) {
    const bool has_guests = !std::has_single_bit(workers);
    return 2 * (static_cast<std::uint32_t>(std::bit_width(workers)) - 1U + (has_guests ? 1 : 0));
  }

  static PeerSchedule make(std::uint16_t rank, std::uint16_t workers) {
    const std::uint16_t chunks = std::bit_floor(workers);
    if (rank >= chunks) return schedule_of_guest(static_cast<std::uint16_t>(rank - chunks), chunks);

    PeerSchedule schedule;
    const int guest = rank + chunks;
    if (guest < workers) schedule.ranks.push_back(static_cast<std::uint16_t>(guest));
    const auto first_step = static_cast<Peer>(schedule.ranks.size());
    const auto steps = static_cast<Peer>(std::countr_zero(chunks));
    for (Peer step = 0; step < steps; ++step) {
      schedule.ranks.push_back(static_cast<std::uint16_t>(rank ^ (chunks >> (step + 1))));
    }

    for (std::uint16_t chunk = 0; chunk < chunks; ++chunk) {
      const auto away = static_cast<std::uint16_t>(rank ^ chunk);
      // The highest bit in which the numbers of worker and chunk differ determines the peer to
      // which the chunk is sent and which returns its result. Peers of earlier steps send parts of
      // the chunk and receive its result. A worker keeps its own chunk.
      const auto taken_by = static_cast<Peer>(first_step + steps - std::bit_width(away));
      PeerSchedule::Route route;
      route.parts_from = route.result_to = {0, taken_by};
      if (away != 0) route.sum_to = route.result_from = taken_by;
      schedule.routes.push_back(route);
    }

    schedule.begins.resize(schedule.ranks.size());
    if (guest < workers) return schedule;
    // This worker begins half of the chunks and sends them to its first peer. Chunks that this peer
    // forwards in its next step come first, followed by chunks that it forwards later.
    for (int away = chunks - 1; away >= chunks / 2; --away) {
      schedule.begins[first_step].push_back(static_cast<std::uint16_t>(rank ^ away));
    }
    return schedule;
  }

 private:
  /// The schedule of a worker beyond the power of two, which sends all its data to worker `host`.
  static PeerSchedule schedule_of_guest(std::uint16_t host, std::uint16_t chunks) {
    PeerSchedule schedule;
    schedule.ranks = {host};
    PeerSchedule::Route route;
    route.sum_to = route.result_from = 0;
    schedule.routes.assign(chunks, route);
    schedule.begins.resize(1);
    for (std::uint16_t chunk = 0; chunk < chunks; ++chunk) schedule.begins[0].push_back(chunk);
    return schedule;
  }
};

}  // namespace ina::schedules
