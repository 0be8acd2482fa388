// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_mbuf.h>

#include <cstddef>
#include <span>

#include "hw/dpdk/ports/core_rings.hpp"
#include "hw/dpdk/ports/mempool.hpp"
#include "hw/protocol/wire/registration.hpp"
#include "hw/protocol/wire/steering.hpp"

namespace ina::ports {

using BufferRings = CoreRings<rte_mbuf*>;

/// Passes each frame that one core receives to the core that owns the frame's aggregator. Frames
/// without an aggregator stay at the core that received them. The exception are registration
/// messages, which go to kRegistrationCore.
class Steering {
 public:
  static constexpr unsigned kRegistrationCore = 0;

  Steering(BufferRings& rings, unsigned core, wire::Format format)
      : rings_(rings), core_(core), format_(format) {}

  /// Returns whether the frame belongs to another core. If so, the next flush() passes it on.
  bool hands_on(rte_mbuf& buffer);
  /// Passes frames to other cores. Returns the number of frames dropped because a ring was full.
  std::size_t flush();

  /// Calls `take(const rte_mbuf&)` for this core's frames that other cores received. Returns the
  /// number of frames.
  template <class Take>
  std::size_t collect(Take&& take) {
    return rings_.collect(core_, [&](rte_mbuf** buffers, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) take(*buffers[i]);
      rte_pktmbuf_free_bulk(buffers, static_cast<unsigned>(count));
    });
  }

 private:
  unsigned owner_of(std::span<const std::byte> bytes) const;

  BufferRings& rings_;
  unsigned core_;
  wire::Format format_;
};

}  // namespace ina::ports
