// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include "hw/protocol/transport/peer_schedule.hpp"

namespace ina::schedules {

/// Every worker is the server of one chunk (BytePS, OSDI 2020, with one server on each worker's
/// host). All workers send their parts of the chunk to its server, which returns the sum. A worker
/// begins with the chunk of the next worker, so that not all send to the same server.
struct Sharded {
  static constexpr std::string_view kName = "byteps";
  static constexpr std::string_view kTitle = "sharded parameter servers";
  static constexpr std::string_view kLabel = "BytePS";

  static std::uint32_t steps(std::uint16_t /* workers */) { return 2; }

  static PeerSchedule make(std::uint16_t rank, std::uint16_t workers) {
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
};

}  // namespace ina::schedules
