// SPDX-License-Identifier: BSD-3-Clause
// What a collision policy is: a class with
//   static constexpr std::string_view kName       in scenarios
//   static constexpr unsigned kComparisons        of a stateful ALU, for one decision
//   Decision collide(const Collision& collision)
// and, where it is so, with one of
//   static constexpr bool kNeverPreempts = true   no collision ever frees an aggregator: then it
//                                                 takes an expiry to free those nobody knows of
//   static constexpr bool kDraws = true           it decides by chance: is made from a seed, of 64
//                                                 bits
//   static constexpr bool kOrdersTasks = true     it reads Collision::packet_is: one more
//                                                 comparison of the PSN
// It has no state but what it draws from: a chip would have to keep it in registers.
#pragma once

#include <cstdint>
#include <string_view>

#include "switch-models/policies/collision_policy.hpp"

namespace ina::policies {

/// Of the task of a packet and the other one that it finds in its aggregator.
enum class TaskOrder : std::uint8_t { other_job, older, newer };

/// A packet that finds its aggregator in use by another task.
struct Collision {
  std::uint16_t aggregator_priority;
  std::uint16_t packet_priority;
  TaskOrder packet_is;
};

/// What a collision policy decides about an aggregator in use and a packet of another task.
struct Decision {
  bool preempt;  ///< the packet takes the aggregator, what was in it goes to the server
  std::uint16_t aggregator_priority;  ///< from now on; the packet's if it preempts
};

template <class Policy>
inline constexpr bool kNeverPreempts = requires {
  requires Policy::kNeverPreempts;
};

template <class Policy>
inline constexpr bool kDraws = requires {
  requires Policy::kDraws;
};

template <class Policy>
inline constexpr bool kOrdersTasks = requires {
  requires Policy::kOrdersTasks;
};

template <class Policy>
inline constexpr PolicyNeeds kNeeds{.comparisons = Policy::kComparisons,
                                    .orders_tasks = kOrdersTasks<Policy>,
                                    .expires = kNeverPreempts<Policy>};

}  // namespace ina::policies
