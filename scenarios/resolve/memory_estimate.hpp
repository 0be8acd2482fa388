// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "scenarios/keys/scenario.hpp"
#include "scenarios/resolve/network.hpp"

namespace ina::scenarios {

/// No run may take more, on no machine: what is valid is valid everywhere.
inline constexpr std::uint64_t kMaxRunBytes = 64'000'000'000;
/// Nor may all scenarios of an experiment, which are read before the first run.
inline constexpr std::uint64_t kMaxExperimentBytes = 4'000'000'000;

/// Memory that a run takes for certain, because it is there from the start or from the first
/// iteration on: what may come on top (queues, what waits at parameter servers) is not counted.
struct MemoryEstimate {
  std::uint64_t bytes{0};
  std::string pointer;  ///< of the key that takes the most
  std::string what;     ///< takes it: "4032258 aggregators"
  std::uint64_t most{0};
};

MemoryEstimate estimate_memory(const Scenario& scenario, const Network& network);
/// The same with the scenario's network.
MemoryEstimate estimate_memory(const Scenario& scenario);

/// For messages: who takes how much.
std::string describe_memory(const MemoryEstimate& estimate);

/// Memory of a job as it is read, without the run.
std::uint64_t bytes_of(const JobScenario& job);

}  // namespace ina::scenarios
