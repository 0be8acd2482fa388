// SPDX-License-Identifier: BSD-3-Clause
// A collision policy chosen when the program runs. Whoever only hands the choice on includes this,
// and not the policies themselves (all.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ina::policies {

/// A policy, by its place in All (all.hpp).
enum class CollisionPolicy : std::uint8_t {};
/// DSA's own, Priority.
inline constexpr CollisionPolicy kDsaPolicy{1};

/// What a policy asks of the chip on a collision.
struct PolicyNeeds {
  unsigned comparisons = 0;   ///< of the priorities
  bool orders_tasks = false;  ///< which of two tasks of a job is newer
  bool expires = false;       ///< a time stamp beside each aggregator
};

/// In the order of All; so are the names.
std::span<const CollisionPolicy> every_policy();
std::span<const std::string_view> policy_names();
std::string_view name_of(CollisionPolicy policy);
PolicyNeeds needs_of(CollisionPolicy policy);
/// Whether it decides by chance.
bool draws(CollisionPolicy policy);

}  // namespace ina::policies
