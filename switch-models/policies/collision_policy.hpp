// SPDX-License-Identifier: BSD-3-Clause
// A collision policy and its parameters, chosen at run time. Include this file to pass on the
// choice, and all.hpp to use the policies themselves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ina::policies {

/// A parameter of a policy, as the policy's file describes it (decision.hpp).
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
/// Priority: the behaviour of DSA's paper for any two tasks, and of its P4 program.
inline constexpr CollisionPolicy kDsaPolicy{1};
/// PriorityBetweenJobs: the newer of two tasks of one job wins. The paper's formula and its
/// comparison of packets disagree on such tasks (../README.md, "Two tasks of one job").
inline constexpr CollisionPolicy kDefaultPolicy{4};

/// Abilities of the chip that a policy needs for a collision.
struct PolicyNeeds {
  unsigned comparisons = 0;    ///< of the action on the priority
  bool orders_tasks = false;   ///< whether the newer of two tasks of a job must be known
  bool age = false;            ///< needs a time stamp per aggregator
  bool contributions = false;  ///< needs the bitmap, counted before the priority is decided
  bool expires = false;        ///< needs a time stamp that is compared with the expiry

  constexpr bool stamps() const { return age || expires; }
};

/// All policies in the order of All, with the defaults of their parameters; policy_names() is in
/// the same order.
std::span<const CollisionPolicy> every_policy();
std::span<const std::string_view> policy_names();
std::string_view name_of(const CollisionPolicy& policy);
/// For ObjectReader::named() and similar functions (hw/fields). set_by_index() sets the defaults of
/// the policy's parameters.
inline std::size_t index_of(const CollisionPolicy& policy) { return policy.index; }
void set_by_index(CollisionPolicy& policy, std::size_t index);
PolicyNeeds needs_of(const CollisionPolicy& policy);
/// Whether the policy draws random numbers.
bool draws(const CollisionPolicy& policy);
std::span<const Parameter> parameters_of(const CollisionPolicy& policy);

/// Calls visit(parameter, value) for each parameter of the policy. The value can be set if the
/// policy is not const.
template <class Policy, class Visit>
void for_each_parameter(Policy& policy, Visit&& visit) {
  std::size_t index = 0;
  for (const Parameter& parameter : parameters_of(policy)) {
    visit(parameter, policy.parameters[index++]);
  }
}

}  // namespace ina::policies
