// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/exploration/world.hpp"

namespace ina::exploration {

/// A schedule after which a property does not hold.
struct Finding {
  std::string failure;
  std::vector<Action> schedule;
  /// From this step on, nothing is lost and every timer fires in its turn: what is wrong then is
  /// that this does not end well.
  std::size_t fair_from = 0;
};

/// The failure of a fair schedule that comes to a state again.
inline constexpr const char* kCircles = "goes round in circles";

struct Report {
  std::uint64_t states = 0;  ///< with their budgets, without those that others cover
  std::uint64_t steps = 0;   ///< tried
  std::uint64_t depth = 0;   ///< of the longest shortest schedule
  bool complete = false;     ///< all states were visited, and nothing was found
  std::optional<Finding> finding;
};

/// Where an exploration is cut off.
struct Limits {
  std::uint64_t states = 100'000'000;
  std::uint64_t bytes =
      UINT64_MAX;  ///< that it holds; for moments, when a table grows, it is twice
};

/// Visits every state of a configuration, nearest first, so that the first finding has a schedule
/// that no other of its kind is shorter than. A state covers those that differ in the workers'
/// ranks only, and itself with less left of the budget. Stops at a finding, or at a limit.
Report explore(const Configuration& configuration, const MakeSystem& make_system,
               const Limits& limits);

}  // namespace ina::exploration
