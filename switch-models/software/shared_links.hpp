// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "hw/cluster/faults/link_faults.hpp"
#include "switch-models/software/occupancy.hpp"

namespace ina::software {

using Direction = faults::LinkDirection;

/// The faults of one direction of a link. Random decisions about frames are made in the order in
/// which the frames arrive, whichever thread handles a frame.
class FaultyDirection {
 public:
  /// Call this before any thread calls decide().
  void add(const faults::LinkFaults::Config& config, std::uint64_t seed) {
    faults_.emplace_back(config, seed);
  }
  bool any() const { return !faults_.empty(); }
  faults::LinkFaults::Outcome decide(const Frame& frame, Time now);

 private:
  std::mutex mutex_;
  std::vector<faults::LinkFaults> faults_;
};

/// State that the concurrent parts of a switch share: the buffer, the number of bytes queued for
/// each link, and the links' faults. Each part owns all its other state.
class SharedLinks {
 public:
  struct Config {
    std::uint64_t buffer_bytes = 16'000'000;
    std::uint64_t ecn_threshold_bytes = 60'000;
  };
  struct Link {
    explicit Link(bool alone) : queued(alone) {}

    Occupancy queued;
    std::array<FaultyDirection, 2> directions;
  };

  /// `parts`: number of parts that share the state.
  SharedLinks(const Config& config, std::size_t parts)
      : config_(config), alone_(parts == 1), buffered_(alone_) {}

  /// The link at a port, the same for all parts. Call this before any part moves frames.
  Link& link(std::size_t port);
  void add_faults(std::size_t port, Direction direction, const faults::LinkFaults::Config& config,
                  std::uint64_t seed) {
    link(port).directions[static_cast<std::size_t>(direction)].add(config, seed);
  }

  enum class Room : std::uint8_t { none, some, beyond_ecn_threshold };
  /// Reserves buffer space for `bytes` queued for a link, if there is room.
  Room take_room(Link& link, std::uint64_t bytes) {
    if (!buffered_.add_within(config_.buffer_bytes, bytes)) return Room::none;
    const bool beyond = link.queued.bytes() > config_.ecn_threshold_bytes;
    link.queued.add(bytes);
    return beyond ? Room::beyond_ecn_threshold : Room::some;
  }
  void give_room(Link& link, std::uint64_t bytes) {
    link.queued.remove(bytes);
    buffered_.remove(bytes);
  }

 private:
  Config config_;
  bool alone_;
  Occupancy buffered_;
  std::vector<std::unique_ptr<Link>> links_;  // by port
};

}  // namespace ina::software
