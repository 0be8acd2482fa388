// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/cluster_parts.hpp"

namespace ina::testing {

/// What a run ended with.
struct Outcome {
  std::string failure;  ///< empty: all properties held
  std::uint64_t collisions = 0;
  std::uint64_t preemptions = 0;
  std::uint64_t reminders = 0;
  std::uint64_t retransmissions = 0;
};

/// Which properties a run must have beyond those that always hold: every worker gets every fragment
/// exactly once and right, in bounded time; the network falls silent; aggregators and servers are
/// empty; every buffer comes back.
struct Demands {
  std::uint32_t loss_percent = 0;
  bool blocks = false;  ///< block floating point
};

/// Runs one to four jobs of one to eight workers, drawn from `seed`, around one switch. `policy` is
/// DSA's.
Outcome run_random_cluster(SystemId system, policies::CollisionPolicy policy, std::uint64_t seed,
                           const Demands& demands);

}  // namespace ina::testing
