// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "hw/protocol/time.hpp"
#include "scenarios/keys/scenario.hpp"
#include "scenarios/resolve/network.hpp"
#include "scenarios/resolve/placement.hpp"

namespace ina::scenarios {

/// The time from the sending of a fragment by the workers of a job until its result has come, if no
/// frame meets another one: delays of links, pipelines of switches, and the frame's time on each
/// line and, in the mean, in the hosts at both ends. Takes the most distant workers and servers,
/// since a sum waits for all; among workers all steps of the all-reduce, one after the other.
/// `links`: those of the scenario.
Time unloaded_path(const Scenario& scenario, const Network& network, const Placements& places,
                   std::size_t job);

}  // namespace ina::scenarios
