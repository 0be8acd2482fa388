// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "hw/protocol/time.hpp"
#include "scenarios/keys/scenario.hpp"
#include "scenarios/resolve/network.hpp"
#include "scenarios/resolve/placement.hpp"

namespace ina::scenarios {

/// Time between the submission of a fragment by a job's workers and the arrival of its result, if
/// no frame is queued. It includes the delays of links, the pipelines of switches, and the frame's
/// time on each line and (on average) in the hosts at both ends. The most distant workers and
/// servers count, since a sum waits for all. If workers send to each other, all steps of the
/// all-reduce count, one after the other. `links`: those of the scenario.
Time unloaded_path(const Scenario& scenario, const Network& network, const Placements& places,
                   std::size_t job);

}  // namespace ina::scenarios
