// SPDX-License-Identifier: BSD-3-Clause
// Requirements on a collision policy. It is a class with
//   static constexpr std::string_view kName       name in scenarios
//   static constexpr unsigned kComparisons        comparisons of a stateful ALU per decision
//   Decision collide(const Collision& collision)
// A policy that needs more information takes a CollisionWith<...> of TaskOrders, Age or
// Contributions instead of a Collision. It can read only the fields that it declares in this way,
// and PolicyNeeds then includes what they cost on a chip. Optional members:
//   static constexpr bool kExpires = true         collisions alone may never free an aggregator, so
//                                                 an abandoned aggregator must become preemptible
//                                                 after its expiry
//   static constexpr bool kDraws = true           it uses random numbers; its constructor takes a
//                                                 64-bit seed
//   struct Config                                 its parameters, with their defaults; its
//                                                 constructor takes them, followed by the seed if
//                                                 it also sets kDraws
//   template <class Visitor, class AnyConfig>
//   static constexpr void visit(Visitor& visitor, AnyConfig& config)
//                                                 names the parameters, for reading and writing:
//     visitor.time("after", config.after, low, high, help)  a Time
//     visitor.integer("halvings", config.halvings, low, high, help)
// A policy has no state except its parameters and its random number generator, because a chip would
// have to keep any other state in registers.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "hw/protocol/time.hpp"
#include "hw/protocol/wire/frame.hpp"
#include "switch-models/policies/collision_policy.hpp"

namespace ina::policies {

/// A packet that finds its aggregator in use by another task, with the fields that any policy may
/// read.
struct Collision {
  std::uint16_t aggregator_priority;
  std::uint16_t packet_priority;
  JobId aggregator_job;
  JobId packet_job;
};

/// Order of the packet's task relative to the task in its aggregator.
enum class TaskOrder : std::uint8_t { other_job, older, newer };

struct TaskOrders {
  TaskOrder packet_is;
};

struct Age {
  /// Time since a packet of the aggregator's own task last reached the aggregator. A duplicate also
  /// resets it, because the time stamp is in an earlier stage than the bitmap.
  Time age;
};

struct Contributions {
  unsigned contributions;  ///< number of workers that have contributed
};

template <class... Needs>
struct CollisionWith : Collision, Needs... {};

/// Decision of a collision policy about an aggregator in use and a packet of another task.
struct Decision {
  bool preempt;  ///< the packet takes the aggregator, and the previous sum goes to the server
  std::uint16_t aggregator_priority;  ///< the new priority; the packet's own if it preempts
};

namespace detail {
template <class Policy, class Seen>
Seen seen_by(Decision (Policy::*)(const Seen&));
}  // namespace detail

/// The type of the argument of the policy's collide().
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
