// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/policies/collision_policy.hpp"

#include <array>
#include <cstddef>
#include <type_traits>

#include "switch-models/policies/all.hpp"

namespace ina::policies {

namespace {

/// An array of of(type_identity<Policy>) for every policy.
template <class Of>
constexpr auto of_every_policy(Of of) {
  return [&]<class... Policies>(std::type_identity<boost::mp11::mp_list<Policies...>>) {
    return std::array{of(std::type_identity<Policies>())...};
  }(std::type_identity<All>());
}

constexpr auto kEvery =
    of_every_policy([]<class Policy>(std::type_identity<Policy>) { return kPolicy<Policy>; });
constexpr auto kNames =
    of_every_policy([]<class Policy>(std::type_identity<Policy>) { return Policy::kName; });
constexpr auto kNeedsOfEvery =
    of_every_policy([]<class Policy>(std::type_identity<Policy>) { return kNeeds<Policy>; });
constexpr auto kDrawsOfEvery =
    of_every_policy([]<class Policy>(std::type_identity<Policy>) { return kDraws<Policy>; });

}  // namespace

std::span<const CollisionPolicy> every_policy() { return kEvery; }
std::span<const std::string_view> policy_names() { return kNames; }
std::string_view name_of(CollisionPolicy policy) {
  return kNames[static_cast<std::size_t>(policy)];
}
PolicyNeeds needs_of(CollisionPolicy policy) {
  return kNeedsOfEvery[static_cast<std::size_t>(policy)];
}
bool draws(CollisionPolicy policy) { return kDrawsOfEvery[static_cast<std::size_t>(policy)]; }

}  // namespace ina::policies
