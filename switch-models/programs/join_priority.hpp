// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ina::programs {

/// What a packet of DSA that is added up in its task's aggregator does to the aggregator's
/// priority: nothing, as the paper has it, or raises it to its own, if that is higher, so that it
/// undoes what collisions took.
enum class JoinPriority : std::uint8_t { keep, raise };
/// In the order of JoinPriority.
inline constexpr std::array<std::string_view, 2> kJoinPriorityNames = {"keep", "raise"};

}  // namespace ina::programs
