// SPDX-License-Identifier: BSD-3-Clause
// What a collision policy is: a class with
//   static constexpr std::string_view kName       in scenarios
//   static constexpr unsigned kComparisons        of a stateful ALU, for one decision
//   Decision collide(const Collision& collision)
// where a policy that has to know more than a Collision takes a CollisionWith<...> of TaskOrders,
// Age and Contributions: what it does not name there it does not get, and what it names costs what
// PolicyNeeds says. Also, where it is so, with
//   static constexpr bool kExpires = true         collisions may never free an aggregator, however
//                                                 many: it takes an expiry to free those that
//                                                 nobody knows of
//   static constexpr bool kDraws = true           it decides by chance: is made from a seed, of 64
//                                                 bits
//   struct Config                                 it has parameters, with their defaults: is made
//                                                 from them, before the seed if it draws, too
//   template <class Visitor, class AnyConfig>
//   static constexpr void visit(Visitor& visitor, AnyConfig& config)
//                                                 names them, once for all who read and write them:
//     visitor.time("after", config.after, low, high, help)  a Time
//     visitor.integer("halvings", config.halvings, low, high, help)
// It has no state but its parameters and what it draws from: a chip would have to keep it in
// registers.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "hw/protocol/time.hpp"
#include "hw/protocol/wire/frame.hpp"
#include "switch-models/policies/collision_policy.hpp"

namespace ina::policies {

/// A packet that finds its aggregator in use by another task: what any policy may know.
struct Collision {
  std::uint16_t aggregator_priority;
  std::uint16_t packet_priority;
  JobId aggregator_job;
  JobId packet_job;
};

/// Of the task of a packet and the other one that it finds in its aggregator.
enum class TaskOrder : std::uint8_t { other_job, older, newer };

struct TaskOrders {
  TaskOrder packet_is;
};

struct Age {
  /// Since a packet of its task came to the aggregator last; a duplicate counts, too, as the time
  /// stamp stands before the bitmap.
  Time age;
};

struct Contributions {
  unsigned contributions;  ///< how many workers have contributed
};

template <class... Needs>
struct CollisionWith : Collision, Needs... {};

/// What a collision policy decides about an aggregator in use and a packet of another task.
struct Decision {
  bool preempt;  ///< the packet takes the aggregator, what was in it goes to the server
  std::uint16_t aggregator_priority;  ///< from now on; the packet's if it preempts
};

namespace detail {
template <class Policy, class Seen>
Seen seen_by(Decision (Policy::*)(const Seen&));
}  // namespace detail

/// What the policy's collide() takes.
template <class Policy>
using SeenBy = decltype(detail::seen_by(&Policy::collide));

template <class Policy, class Need>
inline constexpr bool kSees = std::is_base_of_v<Need, SeenBy<Policy>>;

template <class Policy>
inline constexpr bool kExpires = requires {
  requires Policy::kExpires;
};

template <class Policy>
inline constexpr bool kDraws = requires {
  requires Policy::kDraws;
};

template <class Policy>
inline constexpr PolicyNeeds kNeeds{.comparisons = Policy::kComparisons,
                                    .orders_tasks = kSees<Policy, TaskOrders>,
                                    .age = kSees<Policy, Age>,
                                    .contributions = kSees<Policy, Contributions>,
                                    .expires = kExpires<Policy>};

}  // namespace ina::policies
