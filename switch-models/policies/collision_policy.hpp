// SPDX-License-Identifier: BSD-3-Clause
// A collision policy and its parameters, chosen at run time. Code that only passes the choice on
// includes this file. Code that needs the policy classes includes all.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ina::policies {

/// A parameter of a policy, as declared by the policy's visit() (decision.hpp).
struct Parameter {
  enum class Kind : std::uint8_t { time, integer };

  std::string_view name;  ///< in scenarios
  Kind kind;
  std::int64_t low;  ///< times are in picoseconds
  std::int64_t high;
  std::string_view help;  ///< one sentence, without its full stop
};
inline constexpr std::size_t kMostParameters = 4;  ///< per policy

struct CollisionPolicy {
  std::uint8_t index = 0;                                  ///< in All (all.hpp)
  std::array<std::int64_t, kMostParameters> parameters{};  ///< in the order of parameters_of()

  bool operator==(const CollisionPolicy&) const = default;
};
/// Priority: what DSA's paper and the P4 program do when any two tasks collide.
inline constexpr CollisionPolicy kDsaPolicy{1};
/// PriorityBetweenJobs: like Priority, except that the newer of two tasks of one job wins. For such
/// tasks the paper's formula and its comparison disagree (../README.md, "Two tasks of one job").
inline constexpr CollisionPolicy kDefaultPolicy{4};

/// Capabilities of the chip that a policy needs to decide a collision.
struct PolicyNeeds {
  unsigned comparisons = 0;    ///< comparisons in the action on the priority register
  bool orders_tasks = false;   ///< needs to know which of two tasks of a job is newer
  bool age = false;            ///< needs a time stamp per aggregator
  bool contributions = false;  ///< needs the number of bits in the bitmap before it decides
  bool expires = false;        ///< needs a time stamp, to compare its age with aggregator_expiry

  constexpr bool stamps() const { return age || expires; }
};

/// All policies, with the defaults of their parameters, in the order of All. policy_names() returns
/// their names in the same order.
std::span<const CollisionPolicy> every_policy();
std::span<const std::string_view> policy_names();
std::string_view name_of(const CollisionPolicy& policy);
/// For ObjectReader::named() and similar functions (hw/fields). set_by_index() selects a policy and
/// sets its parameters to their defaults.
inline std::size_t index_of(const CollisionPolicy& policy) { return policy.index; }
void set_by_index(CollisionPolicy& policy, std::size_t index);
PolicyNeeds needs_of(const CollisionPolicy& policy);
/// Whether the policy uses random numbers.
bool draws(const CollisionPolicy& policy);
std::span<const Parameter> parameters_of(const CollisionPolicy& policy);

/// Calls visit(parameter, value) for each parameter of the policy. If the policy is not const,
/// `visit` may change the value.
template <class Policy, class Visit>
void for_each_parameter(Policy& policy, Visit&& visit) {
  std::size_t index = 0;
  for (const Parameter& parameter : parameters_of(policy)) {
    visit(parameter, policy.parameters[index++]);
  }
}

}  // namespace ina::policies
