// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switch-models/policies/decision.hpp"

namespace ina::testing {

/// A collision with every field that a policy can declare.
using AnyCollision =
    policies::CollisionWith<policies::TaskOrders, policies::Age, policies::Contributions>;

/// The part of a collision that the policy declares.
template <class Policy>
policies::SeenBy<Policy> seen_by(const AnyCollision& collision) {
  policies::SeenBy<Policy> seen{};
  static_cast<policies::Collision&>(seen) = collision;
  if constexpr (policies::kSees<Policy, policies::TaskOrders>) {
    seen.packet_is = collision.packet_is;
  }
  if constexpr (policies::kSees<Policy, policies::Age>) seen.age = collision.age;
  if constexpr (policies::kSees<Policy, policies::Contributions>) {
    seen.contributions = collision.contributions;
  }
  return seen;
}

}  // namespace ina::testing
