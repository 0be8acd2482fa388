// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "hw/protocol/time.hpp"
#include "scenarios/keys/scenario.hpp"
#include "scenarios/resolve/network.hpp"
#include "scenarios/resolve/placement.hpp"

namespace ina::scenarios {

/// Time between the submission of a fragment by a job's workers and the arrival of its result, if
/// no frame has to queue. It includes the delays of links, the pipelines of switches, and the
/// frame's time on each line and (on average) in the hosts at both ends. It is the time for the
/// most distant workers and servers, since a sum needs all workers. If workers send to each other,
/// it is the time of all steps of the all-reduce, one after the other.
Time unloaded_path(const Scenario& scenario, const Network& network, const Placements& places,
                   std::size_t job);

}  // namespace ina::scenarios
