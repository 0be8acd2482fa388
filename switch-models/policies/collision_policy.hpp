// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ina::policies {

/// The policies by name, for who chooses one when the program runs.
enum class CollisionPolicy : std::uint8_t { fcfs, priority, always_preempt, coin_flip };
/// In the order of CollisionPolicy.
inline constexpr std::array<std::string_view, 4> kCollisionPolicyNames = {
    "fcfs", "priority", "always-preempt", "coin-flip"};

constexpr std::string_view name_of(CollisionPolicy policy) {
  return kCollisionPolicyNames[static_cast<std::size_t>(policy)];
}

}  // namespace ina::policies
