// SPDX-License-Identifier: BSD-3-Clause
// Guard of an aggregator whose values are processed in two passes (ATP, DSA), for packets that come
// between the two passes of another one. hw/protocol/CORRECTNESS.md has the proof.
#pragma once

#include <boost/describe.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "switch-models/programs/value_range.hpp"
#include "switch-models/rmt/register_array.hpp"

namespace ina::programs {

/// Number of tasks that have reserved an aggregator, modulo 2^16. It belongs to the first half.
struct Generation {
  std::uint16_t number = 0;
  /// Whether the task took the aggregator from another task. Its packets then follow the evicted
  /// sum on the recirculation path, so that they do not reach the second half before it.
  bool by_swap = false;

  Generation next(bool swaps) const { return {static_cast<std::uint16_t>(number + 1), swaps}; }

  friend bool operator==(const Generation&, const Generation&) = default;
  BOOST_DESCRIBE_CLASS(Generation, (), (number, by_swap), (), ())
};

/// Contributors to the second half of an aggregator's values, and the generation they belong to.
struct SecondHalf {
  std::uint16_t generation = 0;
  std::uint32_t bitmap = 0;

  /// Whether a packet of generation `other` comes before (negative), belongs to (0), or comes after
  /// (positive) the contributions in the second half. Serial numbers, as in RFC 1982.
  int order_of(std::uint16_t other) const {
    return static_cast<std::int16_t>(static_cast<std::uint16_t>(other - generation));
  }

  /// The second half after a packet has added its contributors in its generation. It is unchanged
  /// if the packet belongs to an earlier generation, or is a duplicate.
  SecondHalf joined_by(const SecondHalf& packet) const {
    const int order = order_of(packet.generation);
    if (order > 0) return packet;
    if (order < 0 || (bitmap & packet.bitmap) != 0) return *this;
    return {generation, bitmap | packet.bitmap};
  }

  friend bool operator==(const SecondHalf&, const SecondHalf&) = default;
  BOOST_DESCRIBE_CLASS(SecondHalf, (), (generation, bitmap), (), ())
};

template <class Mode>
using Generations = rmt::RegisterArray<Generation, Mode>;
template <class Mode>
using SecondHalves = rmt::RegisterArray<SecondHalf, Mode>;

/// Begins the generation of a task that reserves the aggregator, or takes it (`swaps`). Does
/// nothing unless passes are separate.
template <class Mode>
void begin_generation(rmt::Pass<Mode>& pass, Generations<Mode>& generations, std::uint32_t index,
                      bool swaps = false) {
  if constexpr (rmt::kIsSeparate<Mode>) {
    generations.execute(pass, index, [&](Generation& generation) {
      generation = generation.next(swaps);
      pass.carry.generation = generation.number;
    });
  }
}

/// The packet carries the present generation on. Returns Generation::by_swap; false unless passes
/// are separate.
template <class Mode>
bool join_generation(rmt::Pass<Mode>& pass, Generations<Mode>& generations, std::uint32_t index) {
  if constexpr (rmt::kIsSeparate<Mode>) {
    return generations.execute(pass, index, [&](const Generation& generation) {
      pass.carry.generation = generation.number;
      return generation.by_swap;
    });
  } else {
    return false;
  }
}

/// Whether the generation is still the one that the packet carries.
template <class Mode>
bool is_present_generation(rmt::Pass<Mode>& pass, Generations<Mode>& generations,
                           std::uint32_t index) {
  return generations.execute(pass, index, [&](const Generation& generation) {
    return generation.number == pass.carry.generation;
  });
}

/// The second half before and after the packet has joined it; equal if the packet adds nothing.
struct Joined {
  SecondHalf before;
  SecondHalf after;

  bool adds() const { return after != before; }
  /// Whether the packet begins the sum, since the contributions before belong to another task.
  bool begins() const { return after.generation != before.generation; }
};

template <class Mode>
Joined join_second_half(rmt::Pass<Mode>& pass, SecondHalves<Mode>& halves, std::uint32_t index) {
  return halves.execute(pass, index, [&](SecondHalf& half) {
    const SecondHalf before = half;
    half = before.joined_by({pass.carry.generation, pass.carry.contributors});
    return Joined{before, half};
  });
}

/// The values of the first pass: all of them, unless passes are separate.
template <class Mode>
constexpr ValueRange first_values(std::size_t width) {
  return {0, rmt::kIsSeparate<Mode> ? (width + 1) / 2 : width};
}
template <class Mode>
constexpr ValueRange second_values(std::size_t width) {
  const std::size_t begin = first_values<Mode>(width).count;
  return {begin, width - begin};
}

}  // namespace ina::programs
