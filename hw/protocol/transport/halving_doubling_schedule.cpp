// SPDX-License-Identifier: BSD-3-Clause
#include <bit>

#include "hw/protocol/transport/peer_schedule.hpp"

namespace ina {

namespace {

using Peer = PeerSchedule::Peer;

/// Of a worker beyond the power of two, which gives everything to another one.
PeerSchedule schedule_of_guest(std::uint16_t host, std::uint16_t chunks) {
  PeerSchedule schedule;
  schedule.ranks = {host};
  PeerSchedule::Route route;
  route.sum_to = route.result_from = 0;
  schedule.routes.assign(chunks, route);
  schedule.begins.resize(1);
  for (std::uint16_t chunk = 0; chunk < chunks; ++chunk) schedule.begins[0].push_back(chunk);
  return schedule;
}

}  // namespace

PeerSchedule halving_doubling_schedule(std::uint16_t rank, std::uint16_t workers) {
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
    // The step of the highest bit in which worker and chunk differ takes it away; the steps before
    // brought parts of it, and it goes back there. Nothing takes away the worker's own.
    const auto taken_by = static_cast<Peer>(first_step + steps - std::bit_width(away));
    PeerSchedule::Route route;
    route.parts_from = route.result_to = {0, taken_by};
    if (away != 0) route.sum_to = route.result_from = taken_by;
    schedule.routes.push_back(route);
  }

  schedule.begins.resize(schedule.ranks.size());
  if (guest < workers) return schedule;
  // Those first that the next step takes away from who gets them, then those of the step behind it.
  for (int away = chunks - 1; away >= chunks / 2; --away) {
    schedule.begins[first_step].push_back(static_cast<std::uint16_t>(rank ^ away));
  }
  return schedule;
}

}  // namespace ina
