// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "switch-models/policies/always_preempt.hpp"
#include "switch-models/policies/coin_flip.hpp"
#include "switch-models/policies/collision_policy.hpp"
#include "switch-models/policies/fcfs.hpp"
#include "switch-models/policies/priority.hpp"

namespace ina::policies {

/// What `use` returns for an object of the policy. `coin_seed`: of coin-flip.
template <class Use>
auto with_policy(CollisionPolicy policy, std::uint64_t coin_seed, Use&& use) {
  switch (policy) {
    case CollisionPolicy::fcfs:
      return use(Fcfs{});
    case CollisionPolicy::always_preempt:
      return use(AlwaysPreempt{});
    case CollisionPolicy::coin_flip:
      return use(CoinFlip(coin_seed));
    case CollisionPolicy::priority:
      break;
  }
  return use(Priority{});
}

}  // namespace ina::policies
