// SPDX-License-Identifier: BSD-3-Clause
// The only list of collision policies. All other code, including the tests, uses this one.
#pragma once

#include <boost/mp11.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "switch-models/policies/always_preempt.hpp"
#include "switch-models/policies/coin_flip.hpp"
#include "switch-models/policies/collision_policy.hpp"
#include "switch-models/policies/fcfs.hpp"
#include "switch-models/policies/parameters.hpp"
#include "switch-models/policies/preempt_stale.hpp"
#include "switch-models/policies/priority.hpp"
#include "switch-models/policies/priority_between_jobs.hpp"
#include "switch-models/policies/priority_without_downgrade.hpp"

namespace ina::policies {

/// All policies, in the order in which messages list them.
using All = boost::mp11::mp_list<Fcfs, Priority, AlwaysPreempt, CoinFlip, PriorityBetweenJobs,
                                 PreemptStale, PriorityWithoutDowngrade>;

/// A policy with the defaults of its parameters.
template <class Policy>
inline constexpr CollisionPolicy kPolicy{boost::mp11::mp_find<All, Policy>::value,
                                         kParameters<Policy>.values};
static_assert(kPolicy<Priority> == kDsaPolicy);
static_assert(kPolicy<PriorityBetweenJobs> == kDefaultPolicy);

/// Calls `use` with a policy object and returns the result. `seed`: used by random policies only.
template <class Use>
auto with_policy(const CollisionPolicy& policy, std::uint64_t seed, Use&& use) {
  constexpr std::size_t kCount = boost::mp11::mp_size<All>::value;
  // The type is explicit because clang 14 emits no code for a switch program's template that it
  // first instantiates while it deduces the return type.
  using Result = std::invoke_result_t<Use&, boost::mp11::mp_front<All>>;
  return boost::mp11::mp_with_index<kCount>(policy.index, [&](auto index) -> Result {
    using Policy = boost::mp11::mp_at<All, decltype(index)>;
    return use(make_policy<Policy>(policy.parameters, seed));
  });
}

}  // namespace ina::policies
