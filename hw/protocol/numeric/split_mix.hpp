// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hw/protocol/numeric/kernel.hpp"

namespace ina::numeric {

/// SplitMix64: output number `index` of the stream that starts at `seed`.
INA_INLINE std::uint64_t split_mix(std::uint64_t seed, std::uint64_t index) noexcept {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
  std::uint64_t z = seed + index * golden;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace ina::numeric
