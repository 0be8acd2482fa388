// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ina::programs {

/// Effect of a packet of DSA on the priority of its task's aggregator, when its values are added
/// there. `keep`, as in the paper: none. `raise`: raises it to the packet's priority if that is
/// higher, which undoes the effect of collisions.
enum class JoinPriority : std::uint8_t { keep, raise };
/// In the order of JoinPriority.
inline constexpr std::array<std::string_view, 2> kJoinPriorityNames = {"keep", "raise"};

}  // namespace ina::programs
