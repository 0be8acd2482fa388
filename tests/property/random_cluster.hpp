// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "switch-models/programs/switch_program.hpp"
#include "tests/property/random.hpp"

namespace ina::testing {

enum class System : std::uint8_t { switchml, atp, dsa };

/// What is drawn for a run apart from the jobs.
struct ClusterShape {
  std::uint32_t aggregators = 1;  ///< SwitchML: slots of each job
  std::size_t width = 8;          ///< values that frames carry
  std::uint64_t policy_seed = 0;
};

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
};

using MakeProgram =
    std::function<std::unique_ptr<programs::SwitchProgram>(const ClusterShape& shape)>;

/// Runs one to four jobs of one to eight workers, drawn from `seed`, around one switch.
Outcome run_random_cluster(System system, const MakeProgram& make_program, std::uint64_t seed,
                           const Demands& demands);

}  // namespace ina::testing
