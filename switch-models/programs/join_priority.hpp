// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ina::programs {

/// In DSA, the effect that a packet whose values are added in an aggregator has on the aggregator's
/// priority. `keep`, as in the paper: none. `raise`: the priority rises to the packet's if that is
/// higher, which undoes the halving by earlier collisions.
enum class JoinPriority : std::uint8_t { keep, raise };
/// In the order of JoinPriority.
inline constexpr std::array<std::string_view, 2> kJoinPriorityNames = {"keep", "raise"};

}  // namespace ina::programs
