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

/// What a job's slowest worker computes in an iteration at most. In double, as below: it may be
/// beyond the longest time.
double SlowestIteration(const JobScenario& job);

/// Until when a job is busy computing, whatever the network does: the sum of its slowest worker's
/// iterations, or less if the scenario gives the job up before.
double LeastTime(const Scenario& scenario, std::size_t job);

} // namespace ns3

#endif // INA_TIME_LIMIT_H
