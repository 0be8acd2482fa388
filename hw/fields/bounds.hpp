// SPDX-License-Identifier: BSD-3-Clause
// What the value of a field may be, for the lists of fields ("visit_...") of ObjectReader and its
// kin.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "hw/fields/quantity.hpp"

namespace ina::fields {

/// What a number may be, both ends included.
template <typename T>
struct Bounds {
  T low;
  T high;
};

inline constexpr Bounds<std::uint64_t> kAnyNumber{0, std::numeric_limits<std::uint64_t>::max()};
/// Of a time as an integer.
inline constexpr Bounds<std::int64_t> kAnyPs{0, std::numeric_limits<std::int64_t>::max()};
/// Of an array.
inline constexpr Bounds<std::size_t> kAnySize{0, std::numeric_limits<std::int32_t>::max()};
inline constexpr Bounds<std::size_t> kOneOrMore{1, kAnySize.high};
inline constexpr Bounds<std::int64_t> kAnyTime{0, kMaxTimePs};
/// Of a frame on its way, up to 1 s: further than to the moon is no cluster, and all that time
/// time-outs send again.
inline constexpr Bounds<std::int64_t> kLatency{0, 1'000'000'000'000};
/// From 1 us: what is sent again every nanosecond fills any memory with copies.
inline constexpr Bounds<std::int64_t> kTimeout{1'000'000, kMaxTimePs};

/// The names of the values of an enumeration, in the order in which messages list them.
template <typename E, std::size_t N>
using ChoiceNames = std::array<std::pair<std::string_view, E>, N>;

/// Of an enumeration whose values are in the order of `texts`.
template <typename E, typename Text, std::size_t N>
constexpr ChoiceNames<E, N> names_in_order(const std::array<Text, N>& texts) {
  ChoiceNames<E, N> names;
  for (std::size_t i = 0; i < N; ++i) {
    names[i] = {texts[i], static_cast<E>(i)};
  }
  return names;
}

/// A random or fixed time; a fixed one has low_ps == high_ps.
struct TimeRange {
  std::int64_t low_ps{0};
  std::int64_t high_ps{0};

  bool operator==(const TimeRange&) const = default;
};

}  // namespace ina::fields
