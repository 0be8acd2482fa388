// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/cluster_parts.hpp"

namespace ina::testing {

/// Result of a run.
struct Outcome {
  std::string failure;  ///< empty: every property held
  std::uint64_t collisions = 0;
  std::uint64_t preemptions = 0;
  std::uint64_t reminders = 0;
  std::uint64_t retransmissions = 0;
};

/// Parameters of a run. Every run must have these properties: every worker gets every fragment
/// exactly once and correctly, in bounded time; at the end the network is silent, aggregators and
/// servers are empty, and every buffer is returned.
struct Demands {
  std::uint32_t loss_percent = 0;
  bool blocks = false;  ///< whether values are in block floating point
};

/// Runs one to four jobs of one to eight workers around one switch, as drawn from `seed`. `policy`
/// is used under DSA only.
Outcome run_random_cluster(SystemId system, policies::CollisionPolicy policy, std::uint64_t seed,
                           const Demands& demands);

}  // namespace ina::testing
