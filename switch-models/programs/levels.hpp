// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hw/protocol/wire/frame.hpp"

namespace ina::programs {

// These functions are always inlined: on its own the compiler would not inline them, because
// aggregator() checks the frame's format.

/// The bitmap that the switch uses for this frame (ATP 3.4): the bitmap of workers or, at the
/// second level, the bitmap of branches. DSA's header has room for only one of them at a time.
[[gnu::always_inline]] inline std::uint32_t& bitmap_of(Frame& frame) {
  return frame.has(flag::second_level) ? frame.aggregator().bitmap1 : frame.aggregator().bitmap0;
}

/// The fan-in degree that belongs to bitmap_of(). In ATP it is 0 for a rack's sum that the second
/// level only forwards to the server.
[[gnu::always_inline]] inline std::uint32_t fan_in_of(const Frame& frame) {
  return frame.has(flag::second_level) ? frame.aggregator().fan_in_degree1
                                       : frame.aggregator().fan_in_degree0;
}

}  // namespace ina::programs
