// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hw/cluster/systems/system.hpp"
#include "scenarios/keys/scenario.hpp"
#include "scenarios/resolve/network.hpp"

namespace ina::scenarios {

/// Properties of the cluster from which systems derive their default sizes.
cluster::Environment environment_of(const Scenario& scenario, const Network& network);

/// Time that further passes through switches add to the path of a sum and its result.
std::int64_t further_passes_ps(const Scenario& scenario, const Network& network);

/// Sets those sizes of the selected system that the scenario omits. They follow from
/// environment_of(). The reader returns scenarios with all sizes set.
Scenario with_sizes(Scenario scenario, const Network& network);

/// Number of packets that a worker sends per iteration, rounded up for each partition, including
/// those that carry only exponents.
std::uint64_t fragments_of(const Scenario& scenario, const ModelProfile& profile);

/// Number of aggregators that fit into a switch's memory. A slot and its shadow copy count as one.
std::uint32_t aggregators_in_memory(const Scenario& scenario);

}  // namespace ina::scenarios
