// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "scenarios/keys/scenario.hpp"
#include "scenarios/resolve/network.hpp"

namespace ina::scenarios {

/// Simulated time after which a run has failed: what the scenario states, or else far more than its
/// jobs can need, by the formula of docs/reference/scenario/index.md.
std::int64_t time_limit(const Scenario& scenario, const Network& network);

/// Of the frames on a link in a direction, the share that all its faults take together, where it is
/// largest. As if all struck all the time.
double worst_loss(const Scenario& scenario);

/// No limit is derived where more is lost.
inline constexpr double kMostLoss = 0.5;

/// What a job's slowest worker computes in an iteration at most. In double, as below: it may be
/// beyond the longest time.
double slowest_iteration(const JobScenario& job);

/// How long a job computes, whatever the network does: the sum of its slowest worker's iterations.
double least_work(const JobScenario& job);

/// Until when it does if it starts as late as it may, or less if the scenario gives it up before.
double least_time(const Scenario& scenario, std::size_t job);

}  // namespace ina::scenarios
