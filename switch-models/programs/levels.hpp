// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hw/protocol/wire/frame.hpp"

namespace ina::programs {

// Always inlined: the check of the frame's format would otherwise keep the compiler from inlining
// these functions.

/// The bitmap that a frame's switch uses, of places below it or of branches at the root (ATP 3.4).
/// DSA's header has room only for that one.
[[gnu::always_inline]] inline std::uint32_t& bitmap_of(Frame& frame) {
  return frame.has(flag::second_level) ? frame.aggregator().bitmap1 : frame.aggregator().bitmap0;
}

/// The degree that belongs to the bitmap. ATP: 0 for a rack's sum that goes to the server
/// unchanged.
[[gnu::always_inline]] inline std::uint32_t fan_in_of(const Frame& frame) {
  return frame.has(flag::second_level) ? frame.aggregator().fan_in_degree1
                                       : frame.aggregator().fan_in_degree0;
}

}  // namespace ina::programs
