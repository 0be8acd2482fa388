// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hw/cluster/systems/system.hpp"
#include "scenarios/keys/scenario.hpp"
#include "scenarios/resolve/network.hpp"

namespace ina::scenarios {

/// What the sizes of the scenario's systems follow from.
cluster::Environment environment_of(const Scenario& scenario, const Network& network);

/// The time that a sum and its result take for more than one pass through each switch.
std::int64_t further_passes_ps(const Scenario& scenario, const Network& network);

/// With the sizes of the system that is run, where they are not set. What else is said here of a
/// scenario holds of one that has them, as the reader's have.
Scenario with_sizes(Scenario scenario, const Network& network);

/// The packets of a worker in an iteration: each partition starts a new one, and has those of its
/// exponents in front.
std::uint64_t fragments_of(const Scenario& scenario, const ModelProfile& profile);

/// That the memory of a switch holds; of slots with their shadow copies.
std::uint32_t aggregators_in_memory(const Scenario& scenario);

}  // namespace ina::scenarios
