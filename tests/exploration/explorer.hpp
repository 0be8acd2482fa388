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
  /// Index of the first step of the fair part, in which no frame is lost and every timer fires in
  /// its turn. If the schedule has such a part, the protocol does not finish even under fairness.
  std::size_t fair_from = 0;
};

/// The failure of a fair schedule that reaches a state twice.
inline constexpr const char* kCircles = "goes round in circles";

struct Report {
  std::uint64_t states = 0;  ///< distinct states with budgets, without those that others cover
  std::uint64_t steps = 0;   ///< number of actions tried
  std::uint64_t depth = 0;   ///< length of the longest shortest schedule
  bool complete = false;     ///< all states were visited, and no property failed
  std::optional<Finding> finding;
};

/// Limits at which an exploration is cut off.
struct Limits {
  std::uint64_t states = 100'000'000;
  std::uint64_t bytes = UINT64_MAX;  ///< memory in use; it briefly doubles while a table grows
};

/// Visits every state of a configuration, nearest first, so that the first finding has a shortest
/// schedule. A state covers those that differ from it only in the workers' ranks or have less
/// budget left. Stops at a finding or at a limit.
Report explore(const Configuration& configuration, const MakeSystem& make_system,
               const Limits& limits);

}  // namespace ina::exploration
