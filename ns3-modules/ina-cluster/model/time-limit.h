/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_TIME_LIMIT_H
#define INA_TIME_LIMIT_H

#include "scenario.h"

#include <cstddef>
#include <cstdint>

namespace ns3
{

/// Simulated time after which a run has failed: what the scenario states, or else far more than its
/// jobs can need, by the formula of scenarios/README.md.
std::int64_t TimeLimit(const Scenario& scenario);

/// Of the frames on a link in a direction, the share that all its faults take together, where it is
/// largest. As if all struck all the time.
double WorstLoss(const Scenario& scenario);

/// No limit is derived where more is lost.
inline constexpr double MOST_LOSS = 0.5;

/// What a job's slowest worker computes in an iteration at most. In double, as below: it may be
/// beyond the longest time.
double SlowestIteration(const JobScenario& job);

/// How long a job computes, whatever the network does: the sum of its slowest worker's iterations.
double LeastWork(const JobScenario& job);

/// Until when it does if it starts as late as it may, or less if the scenario gives it up before.
double LeastTime(const Scenario& scenario, std::size_t job);

} // namespace ns3

#endif // INA_TIME_LIMIT_H
