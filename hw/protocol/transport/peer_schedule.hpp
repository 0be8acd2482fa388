// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace ina {

/// One worker's schedule of sending and receiving in an all-reduce. A tensor is divided into
/// chunks: the fragment with PSN p belongs to chunk p modulo the number of chunks. PSNs do not
/// restart, so chunks are equally large over many tensors, even if each tensor has few fragments. A
/// chunk is summed along a tree of workers. Each worker adds its own part to the parts that it
/// receives, and forwards the sum. The last worker sends the sum back along this tree or another.
///
/// The peers of a worker are the workers with which it exchanges frames. In a schedule, they have
/// indices from 0.
struct PeerSchedule {
  using Peer = std::uint16_t;
  static constexpr Peer kNoPeer = 0xffff;

  struct Peers {
    Peer begin = 0;
    Peer end = 0;
    std::uint16_t count() const { return static_cast<std::uint16_t>(end - begin); }
    bool contains(Peer peer) const { return begin <= peer && peer < end; }
    bool operator==(const Peers&) const = default;
  };
  /// Route of a chunk.
  struct Route {
    Peers parts_from;  ///< peers that send partial sums to this worker
    Peer sum_to =
        kNoPeer;  ///< peer to which this worker sends its sum; kNoPeer: the sum is complete here
    Peer result_from = kNoPeer;  ///< peer that sends the result; kNoPeer: this worker has it
    Peers result_to;
  };

  std::vector<std::uint16_t> ranks;  ///< ranks of the peers
  std::vector<Route> routes;         ///< by chunk
  /// By peer: chunks that this worker begins and sends to that peer, in the order of sending. A
  /// worker begins the chunks of which it receives no parts.
  std::vector<std::vector<std::uint16_t>> begins;
};

}  // namespace ina
