/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_MEMORY_ESTIMATE_H
#define INA_MEMORY_ESTIMATE_H

#include "scenario.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// No run may take more, on no machine: what is valid is valid everywhere.
inline constexpr std::uint64_t MAX_RUN_BYTES = 64'000'000'000;
/// Nor may all scenarios of an experiment, which are read before the first run.
inline constexpr std::uint64_t MAX_EXPERIMENT_BYTES = 4'000'000'000;

/// Memory that a run takes for certain, because it is there from the start or from the first
/// iteration on: what may come on top (queues, what waits at parameter servers) is not counted.
struct MemoryEstimate
{
    std::uint64_t bytes{0};
    std::string pointer; ///< of the key that takes the most
    std::string what;    ///< takes it: "4032258 aggregators"
    std::uint64_t most{0};
};

MemoryEstimate EstimateMemory(const Scenario& scenario);

/// For messages: who takes how much.
std::string DescribeMemory(const MemoryEstimate& estimate);

/// Memory of a job as it is read, without the run.
std::uint64_t BytesOf(const JobScenario& job);

} // namespace ns3

#endif // INA_MEMORY_ESTIMATE_H
