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

/// Contributors to the second half of an aggregator's values, and the generation they belong to.
struct SecondHalf {
  std::uint16_t generation = 0;
  std::uint32_t bitmap = 0;

  BOOST_DESCRIBE_CLASS(SecondHalf, (), (generation, bitmap), (), ())
};

/// For each aggregator, the number of tasks that have reserved it, modulo 2^16. It belongs to the
/// first half.
template <class Mode>
using Generations = rmt::RegisterArray<std::uint16_t, Mode>;
template <class Mode>
using SecondHalves = rmt::RegisterArray<SecondHalf, Mode>;

/// Begins the generation of a task that reserves the aggregator. Does nothing unless passes are
/// separate.
template <class Mode>
void begin_generation(rmt::Pass<Mode>& pass, Generations<Mode>& generations, std::uint32_t index) {
  if constexpr (rmt::kIsSeparate<Mode>) {
    pass.carry.generation =
        generations.execute(pass, index, [](std::uint16_t& generation) { return ++generation; });
  }
}

/// The packet carries the present generation on. Does nothing unless passes are separate.
template <class Mode>
void join_generation(rmt::Pass<Mode>& pass, Generations<Mode>& generations, std::uint32_t index) {
  if constexpr (rmt::kIsSeparate<Mode>) {
    pass.carry.generation = generations.execute(
        pass, index, [](const std::uint16_t& generation) { return generation; });
  }
}

/// Whether the generation is still the one that the packet carries.
template <class Mode>
bool is_present_generation(rmt::Pass<Mode>& pass, Generations<Mode>& generations,
                           std::uint32_t index) {
  return generations.execute(pass, index, [&](const std::uint16_t& generation) {
    return generation == pass.carry.generation;
  });
}

/// The packet joins the second half in its generation, and ends any other one there. Returns the
/// contributors before it; none (0) if the packet begins the sum.
template <class Mode>
std::uint32_t join_second_half(rmt::Pass<Mode>& pass, SecondHalves<Mode>& halves,
                               std::uint32_t index) {
  const SecondHalf packet{pass.carry.generation, pass.carry.contributors};
  return halves.execute(pass, index, [&](SecondHalf& half) {
    const std::uint32_t before = half.generation == packet.generation ? half.bitmap : 0;
    if (before == 0) half = packet;
    if ((before & packet.bitmap) == 0) half.bitmap |= packet.bitmap;
    return before;
  });
}

/// The packet, which has taken the first half from another task, takes the second one. Returns the
/// contributors of the generation before; none (0) if the second half has another one. The chip
/// compares in 32 bits, so the sum of the generation before the first one modulo 2^16 is lost.
template <class Mode>
std::uint32_t exchange_second_half(rmt::Pass<Mode>& pass, SecondHalves<Mode>& halves,
                                   std::uint32_t index) {
  const SecondHalf packet{pass.carry.generation, pass.carry.contributors};
  return halves.execute(pass, index, [&](SecondHalf& half) {
    const SecondHalf before = std::exchange(half, packet);
    return before.generation + 1 == packet.generation ? before.bitmap : 0;
  });
}

/// Contributors to the second half in the packet's generation.
template <class Mode>
std::uint32_t read_second_half(rmt::Pass<Mode>& pass, SecondHalves<Mode>& halves,
                               std::uint32_t index) {
  return halves.execute(pass, index, [&](const SecondHalf& half) {
    return half.generation == pass.carry.generation ? half.bitmap : 0;
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
