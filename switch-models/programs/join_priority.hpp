// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ina::programs {

/// In DSA, the effect of a packet on the priority of the aggregator that adds its values. `keep`,
/// as in the paper: no effect. `raise`: if the packet's priority is higher, the aggregator takes
/// it. This undoes the halving by earlier collisions.
enum class JoinPriority : std::uint8_t { keep, raise };
/// Names in scenarios, in the order of JoinPriority.
inline constexpr std::array<std::string_view, 2> kJoinPriorityNames = {"keep", "raise"};

}  // namespace ina::programs
