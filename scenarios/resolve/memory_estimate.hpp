// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "scenarios/keys/scenario.hpp"
#include "scenarios/resolve/network.hpp"

namespace ina::scenarios {

/// Maximum memory of a run. It is a constant, so that validity does not depend on the computer.
inline constexpr std::uint64_t kMaxRunBytes = 64'000'000'000;
/// Maximum memory for all scenarios of an experiment, which are read before the first run.
inline constexpr std::uint64_t kMaxExperimentBytes = 4'000'000'000;

/// Lower bound of a run's memory. It counts what exists from the start or the first iteration on,
/// but not the frames in queues or those that wait at parameter servers.
struct MemoryEstimate {
  std::uint64_t bytes{0};
  std::string pointer;  ///< pointer to the key that causes the largest part
  std::string what;     ///< what that part is, such as "4032258 aggregators"
  std::uint64_t most{0};
};

MemoryEstimate estimate_memory(const Scenario& scenario, const Network& network);
/// Like the function above, but builds the network itself.
MemoryEstimate estimate_memory(const Scenario& scenario);

/// Describes the largest part and the total, for error messages.
std::string describe_memory(const MemoryEstimate& estimate);

/// Memory of a job's description (layers, send order, compute-time factors), without its run.
std::uint64_t bytes_of(const JobScenario& job);

}  // namespace ina::scenarios
