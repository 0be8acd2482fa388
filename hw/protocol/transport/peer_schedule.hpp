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
  static constexpr Peer kNobody = 0xffff;

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
    Peer sum_to = kNobody;       ///< who gets that with this worker's part; nobody: it is complete
    Peer result_from = kNobody;  ///< nobody: it is completed here
    Peers result_to;
  };

  std::vector<std::uint16_t> ranks;  ///< of the peers
  std::vector<Route> routes;         ///< of the chunks
  /// By peer, the chunks that begin here and go to it: those to which nobody else gives a part
  /// before. In the order in which they are sent.
  std::vector<std::vector<std::uint16_t>> begins;
};

/// Ring (Patarasuk and Yuan, JPDC 2009): chunk c begins at worker c and goes round from each to the
/// next one; the worker before c, n - 1 steps later, has the sum (reduce-scatter). From there it
/// goes round again for n - 1 steps (all-gather).
PeerSchedule ring_schedule(std::uint16_t rank, std::uint16_t workers);

/// Recursive halving and doubling (Thakur, Rabenseifner and Gropp, IJHPCA 2005): of 2^k workers
/// each exchanges half of what it has with the one half of them away, then a quarter with the one a
/// quarter away, and so on; worker c has the sum of chunk c after k steps, and all steps are done
/// again backwards. Workers beyond the largest power of two give all that they have to one of the
/// others first, and get the sums from it.
PeerSchedule halving_doubling_schedule(std::uint16_t rank, std::uint16_t workers);

/// Two binary trees (Sanders, Speck and Träff, Parallel Computing 2009), each for half of the
/// fragments: who is a leaf of one is an inner worker of the other, so that both ways of every link
/// are in use.
PeerSchedule double_tree_schedule(std::uint16_t rank, std::uint16_t workers);
/// How many links it is from the root to the leaf that is farthest.
std::uint32_t depth_of_double_tree(std::uint16_t workers);

/// Every worker is the server of one chunk (BytePS, OSDI 2020, with as many servers as workers,
/// each beside a worker): all send it their parts, and get the sum. A worker begins with the server
/// behind it, so that they do not all send to one.
PeerSchedule sharded_schedule(std::uint16_t rank, std::uint16_t workers);

}  // namespace ina
