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
constexpr auto kParametersOfEvery =
    of_every_policy([]<class Policy>(std::type_identity<Policy>) { return kParameters<Policy>; });

}  // namespace

std::span<const CollisionPolicy> every_policy() { return kEvery; }
std::span<const std::string_view> policy_names() { return kNames; }
std::string_view name_of(const CollisionPolicy& policy) { return kNames[policy.index]; }
PolicyNeeds needs_of(const CollisionPolicy& policy) { return kNeedsOfEvery[policy.index]; }
bool draws(const CollisionPolicy& policy) { return kDrawsOfEvery[policy.index]; }
std::span<const Parameter> parameters_of(const CollisionPolicy& policy) {
  const CollectedParameters& collected = kParametersOfEvery[policy.index];
  return std::span(collected.parameters).first(collected.count);
}

void set_by_index(CollisionPolicy& policy, std::size_t index) { policy = every_policy()[index]; }

}  // namespace ina::policies
