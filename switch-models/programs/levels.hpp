// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hw/protocol/wire/frame.hpp"

namespace ina::programs {

// Always inline: the check of the frame's format would keep these out of their callers.

/// Which of the two bitmaps a frame's switch uses, of places below or of branches at the root (ATP
/// 3.4); DSA's header has room for that one only.
[[gnu::always_inline]] inline std::uint32_t& bitmap_of(Frame& frame) {
  return frame.has(flag::second_level) ? frame.aggregator().bitmap1 : frame.aggregator().bitmap0;
}

/// The degree that belongs to it. ATP: 0 of a rack's sum that goes on to the server as it is.
[[gnu::always_inline]] inline std::uint32_t fan_in_of(const Frame& frame) {
  return frame.has(flag::second_level) ? frame.aggregator().fan_in_degree1
                                       : frame.aggregator().fan_in_degree0;
}

}  // namespace ina::programs
