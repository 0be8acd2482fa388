// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "scenarios/keys/scenario.hpp"
#include "scenarios/resolve/network.hpp"

namespace ina::scenarios {

/// Simulated time after which a run fails: the scenario's limit, or by default a generous estimate,
/// whose formula is in docs/reference/scenario/index.md.
std::int64_t time_limit(const Scenario& scenario, const Network& network);

/// Maximum share of frames that are lost in one direction of any link, if all faults of the link
/// are active all the time.
double worst_loss(const Scenario& scenario);

/// Above this loss, no default time limit is derived.
inline constexpr double kMostLoss = 0.5;

/// Maximum compute time of a job's slowest worker in one iteration, in ps. This and the following
/// are doubles, because they may exceed the range of a time.
double slowest_iteration(const JobScenario& job);

/// Minimum compute time of a job in ps, independent of the network: the sum over the iterations of
/// its slowest worker.
double least_work(const JobScenario& job);

/// Time, in ps, at which least_work() is done after the latest possible start of the job, or at
/// which a fault of the scenario ends the job if that is earlier.
double least_time(const Scenario& scenario, std::size_t job);

}  // namespace ina::scenarios
