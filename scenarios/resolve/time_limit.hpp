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

/// Maximum compute time of a job's slowest worker in one iteration, in ps. This time and the next
/// two are doubles, because they may exceed the range of a time.
double slowest_iteration(const JobScenario& job);

/// Minimum compute time of a job in ps, even on an infinitely fast network: the compute time of its
/// slowest worker in all iterations together.
double least_work(const JobScenario& job);

/// Time, in ps, at which least_work() is done if the job starts as late as possible. If a fault of
/// the scenario ends the job earlier, the time of its end.
double least_time(const Scenario& scenario, std::size_t job);

}  // namespace ina::scenarios
