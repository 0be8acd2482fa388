// SPDX-License-Identifier: BSD-3-Clause
// A collision policy and its parameters, chosen when the program runs. Whoever only hands the
// choice on includes this, and not the policies themselves (all.hpp).
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
  std::int64_t low;  ///< of a time in picoseconds
  std::int64_t high;
  std::string_view help;  ///< one sentence, without its full stop
};
inline constexpr std::size_t kMostParameters = 4;  ///< of one policy

struct CollisionPolicy {
  std::uint8_t index = 0;                                  ///< in All (all.hpp)
  std::array<std::int64_t, kMostParameters> parameters{};  ///< in the order of parameters_of()

  bool operator==(const CollisionPolicy&) const = default;
};
/// Priority: what DSA's paper says of any two tasks, and what its P4 program has.
inline constexpr CollisionPolicy kDsaPolicy{1};
/// PriorityBetweenJobs: of two tasks of one job the newer wins, on which the paper's formula and
/// its comparison of packets disagree (../README.md, "Two tasks of one job").
inline constexpr CollisionPolicy kDefaultPolicy{4};

/// What a policy asks of the chip on a collision.
struct PolicyNeeds {
  unsigned comparisons = 0;    ///< by the action on the priority
  bool orders_tasks = false;   ///< which of two tasks of a job is newer
  bool age = false;            ///< a time stamp beside each aggregator
  bool contributions = false;  ///< the bitmap, counted before the priority is decided
  bool expires = false;        ///< a time stamp, too, compared with the expiry

  constexpr bool stamps() const { return age || expires; }
};

/// In the order of All, with the defaults of their parameters; so are the names.
std::span<const CollisionPolicy> every_policy();
std::span<const std::string_view> policy_names();
std::string_view name_of(const CollisionPolicy& policy);
/// For ObjectReader::named() and its kin (hw/fields); with the defaults of its parameters.
inline std::size_t index_of(const CollisionPolicy& policy) { return policy.index; }
void set_by_index(CollisionPolicy& policy, std::size_t index);
PolicyNeeds needs_of(const CollisionPolicy& policy);
/// Whether it decides by chance.
bool draws(const CollisionPolicy& policy);
std::span<const Parameter> parameters_of(const CollisionPolicy& policy);

/// Calls visit(parameter, value) for each parameter of the policy; the value of one that is not
/// const may be set.
template <class Policy, class Visit>
void for_each_parameter(Policy& policy, Visit&& visit) {
  std::size_t index = 0;
  for (const Parameter& parameter : parameters_of(policy)) {
    visit(parameter, policy.parameters[index++]);
  }
}

}  // namespace ina::policies
