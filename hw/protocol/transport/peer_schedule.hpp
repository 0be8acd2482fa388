// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace ina {

/// One worker's part in an all-reduce among workers. A tensor is divided into chunks: the fragment
/// with PSN p belongs to chunk p modulo their number. Over several tensors the chunks are therefore
/// equally large, however few fragments each tensor has. The sum of a chunk grows along a tree of
/// workers. Each adds its own part to those that it receives, and forwards the sum. The worker that
/// completes the sum sends it back, along the same tree or another one.
///
/// The peers of a worker are the workers with which it exchanges frames; they are counted from 0
/// here.
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
    Peers parts_from;  ///< peers that send it partial sums
    Peer sum_to =
        kNoPeer;  ///< peer that gets the sum with this worker's part; none: the sum is complete
    Peer result_from = kNoPeer;  ///< none: the sum is completed here
    Peers result_to;
  };

  std::vector<std::uint16_t> ranks;  ///< ranks of the peers
  std::vector<Route> routes;         ///< by chunk
  /// Chunks that begin here, by the peer to which they go. No other worker adds a part before. They
  /// are in the order of sending.
  std::vector<std::vector<std::uint16_t>> begins;
};

}  // namespace ina
