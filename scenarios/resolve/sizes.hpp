// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hw/cluster/systems/system.hpp"
#include "scenarios/keys/scenario.hpp"
#include "scenarios/resolve/network.hpp"

namespace ina::scenarios {

/// Properties of the cluster from which systems derive their sizes.
cluster::Environment environment_of(const Scenario& scenario, const Network& network);

/// Time that further passes through switches add to the path of a sum and its result.
std::int64_t further_passes_ps(const Scenario& scenario, const Network& network);

/// Fills in the omitted sizes of the selected system. All other functions here require a scenario
/// with sizes, such as the reader returns.
Scenario with_sizes(Scenario scenario, const Network& network);

/// Number of packets of a worker per iteration, rounded up for each partition, with the leading
/// packets of exponents.
std::uint64_t fragments_of(const Scenario& scenario, const ModelProfile& profile);

/// Number of aggregators that fit into a switch's memory. Slots include their shadow copies.
std::uint32_t aggregators_in_memory(const Scenario& scenario);

}  // namespace ina::scenarios
