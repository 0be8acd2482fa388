// SPDX-License-Identifier: BSD-3-Clause
// Bounds and choices for the values of keys. The functions that list the keys of an object
// ("visit_...") pass them to ObjectReader, ObjectWriter and similar classes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "hw/fields/quantity.hpp"

namespace ina::fields {

/// Allowed range of a number, both ends included.
template <typename T>
struct Bounds {
  T low;
  T high;
};

inline constexpr Bounds<std::uint64_t> kAnyNumber{0, std::numeric_limits<std::uint64_t>::max()};
/// Range of a time that is written as an integer number of picoseconds.
inline constexpr Bounds<std::int64_t> kAnyPs{0, std::numeric_limits<std::int64_t>::max()};
/// Range of an array's size.
inline constexpr Bounds<std::size_t> kAnySize{0, std::numeric_limits<std::int32_t>::max()};
inline constexpr Bounds<std::size_t> kOneOrMore{1, kAnySize.high};
inline constexpr Bounds<std::int64_t> kAnyTime{0, kMaxTimePs};
/// Range of a link's latency in picoseconds. The limit of 1 s is close to the time of light to the
/// moon. With longer latencies, hosts would also retransmit many times before an answer arrives.
inline constexpr Bounds<std::int64_t> kLatency{0, 1'000'000'000'000};
/// Range of a time-out in picoseconds. With time-outs below the minimum of 1 us, copies of packets
/// would fill the memory.
inline constexpr Bounds<std::int64_t> kTimeout{1'000'000, kMaxTimePs};

/// The names of the values of an enumeration, in the order in which messages list them.
template <typename E, std::size_t N>
using ChoiceNames = std::array<std::pair<std::string_view, E>, N>;

/// Makes the ChoiceNames of an enumeration whose values are in the order of `texts`.
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
