// SPDX-License-Identifier: BSD-3-Clause
// Parts of a packet's values, and their exchange with the value registers. `sum`: first value of an
// aggregator's row. Packets without values have empty ranges.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "hw/protocol/numeric/saturating_add.hpp"
#include "hw/protocol/wire/frame.hpp"

namespace ina::programs {

/// The values that one pass processes: [begin, begin + count).
struct ValueRange {
  std::size_t begin;
  std::size_t count;
};

/// The packet's values become the sum.
inline void begin_sum(std::int32_t* sum, const Frame& frame, ValueRange range) {
  if (range.count == 0) return;
  std::copy_n(frame.values.data() + range.begin, range.count, sum + range.begin);
}

/// The packet takes the sum along.
inline void fetch_sum(const std::int32_t* sum, Frame& frame, ValueRange range) {
  if (range.count == 0) return;
  frame.values = std::move(frame.values).into_unique();
  std::copy_n(sum + range.begin, range.count, frame.values.data() + range.begin);
}

/// The packet takes along the sum with its own values, which the registers do not get.
inline void fetch_sum_with_own(const std::int32_t* sum, Frame& frame, ValueRange range) {
  if (range.count == 0) return;
  frame.values = std::move(frame.values).into_unique();
  std::int32_t* const values = frame.values.data() + range.begin;
  numeric::add_sticky(values, sum + range.begin, values, range.count);
}

}  // namespace ina::programs
