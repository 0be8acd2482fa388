// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "scenarios/keys/scenario.hpp"
#include "scenarios/resolve/network.hpp"

namespace ina::scenarios {

/// Simulated time after which a run fails: the scenario's limit, or else a generous estimate by the
/// formula in docs/reference/scenario/index.md.
std::int64_t time_limit(const Scenario& scenario, const Network& network);

/// Maximum share of frames that all faults of a link take together in one direction, as if they
/// were all active all the time.
double worst_loss(const Scenario& scenario);

/// Above this loss no limit is derived.
inline constexpr double kMostLoss = 0.5;

/// Maximum computation of a job's slowest worker in one iteration, in ps. These are doubles,
/// because the times may exceed the longest time.
double slowest_iteration(const JobScenario& job);

/// Minimum computation of a job, independent of the network: the sum over its slowest worker's
/// iterations.
double least_work(const JobScenario& job);

/// Time at which that ends for the latest possible start, or at which the scenario ends the job if
/// that is earlier.
double least_time(const Scenario& scenario, std::size_t job);

}  // namespace ina::scenarios
