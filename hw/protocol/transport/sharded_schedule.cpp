// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/peer_schedule.hpp"

namespace ina {

PeerSchedule sharded_schedule(std::uint16_t rank, std::uint16_t workers) {
  using Peer = PeerSchedule::Peer;
  const auto peers = static_cast<Peer>(workers - 1);
  PeerSchedule schedule;
  schedule.routes.resize(workers);
  schedule.routes[rank].parts_from = schedule.routes[rank].result_to = {0, peers};
  schedule.begins.resize(peers);
  for (Peer peer = 0; peer < peers; ++peer) {
    const auto server = static_cast<std::uint16_t>((rank + 1 + peer) % workers);
    schedule.ranks.push_back(server);
    schedule.routes[server].sum_to = schedule.routes[server].result_from = peer;
    schedule.begins[peer] = {server};
  }
  return schedule;
}

}  // namespace ina
