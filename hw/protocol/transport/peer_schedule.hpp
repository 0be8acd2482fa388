// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace ina {

/// One worker's schedule of sending and receiving in an all-reduce. A tensor is divided into
/// chunks: the fragment with PSN p belongs to chunk p modulo the number of chunks. Over several
/// tensors the chunks are thus equally large, however few fragments each tensor has. A chunk is
/// summed along a tree of workers: each adds its own part to those that it receives and forwards
/// the sum. The worker that completes the sum sends it back along the same or another tree.
///
/// The peers of a worker are the workers with which it exchanges frames. Here they have indices
/// from 0.
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
        kNoPeer;  ///< peer to which this worker sends the sum; none: the sum is complete here
    Peer result_from = kNoPeer;  ///< peer that sends the result; none: this worker completes it
    Peers result_to;
  };

  std::vector<std::uint16_t> ranks;  ///< ranks of the peers
  std::vector<Route> routes;         ///< by chunk
  /// By peer: chunks that begin at this worker, which is the first to add its part, and go to that
  /// peer, in the order of sending.
  std::vector<std::vector<std::uint16_t>> begins;
};

}  // namespace ina
