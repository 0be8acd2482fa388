// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace ina {

/// Who does what in an all-reduce that workers do among themselves, as one of them sees it. A
/// tensor is cut into chunks: the fragment with PSN p is of chunk p modulo their number, so that
/// chunks are of equal size over several tensors, however few fragments each one has. The sum of a
/// chunk grows along a tree of workers, each of which adds its own part to what others give it, and
/// hands the sum on; who completes it sends it back, along the same tree or another one.
///
/// Workers that a worker exchanges frames with are its peers; what follows counts them from 0.
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
  /// Of a chunk.
  struct Route {
    Peers parts_from;            ///< who give it what they have added up
    Peer sum_to = kNoPeer;       ///< who gets that with this worker's part; nobody: it is complete
    Peer result_from = kNoPeer;  ///< nobody: it is completed here
    Peers result_to;
  };

  std::vector<std::uint16_t> ranks;  ///< of the peers
  std::vector<Route> routes;         ///< of the chunks
  /// By peer, the chunks that begin here and go to it: those to which nobody else gives a part
  /// before. In the order in which they are sent.
  std::vector<std::vector<std::uint16_t>> begins;
};

}  // namespace ina
