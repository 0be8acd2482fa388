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

/// One core's part in giving every frame to the core that owns its aggregator, wherever it came in.
/// Frames that touch no aggregator stay where they came in, except registration messages, which all
/// go to kRegistrationCore.
class Steering {
 public:
  static constexpr unsigned kRegistrationCore = 0;

  Steering(BufferRings& rings, unsigned core, wire::Format format)
      : rings_(rings), core_(core), format_(format) {}

  /// True if the frame is another core's, to which it goes by the next flush().
  bool hands_on(rte_mbuf& buffer);
  /// Returns how many frames were dropped: they found no room on their way.
  std::size_t flush();

  /// Calls `take(const rte_mbuf&)` for frames of this core that came in at others. Returns how many
  /// that were.
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
