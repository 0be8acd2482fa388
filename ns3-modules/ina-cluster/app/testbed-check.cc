/* SPDX-License-Identifier: GPL-2.0-only */
#include "testbed-check.h"

#include "scenarios/reader/counted.hpp"
#include "scenarios/reader/scenario_error.hpp"

#include <fmt/format.h>

namespace ns3
{

using namespace ina::scenarios;

namespace
{

void
CheckForTestbed(const std::string& file, const Scenario& scenario)
{
    if (!scenario.faults.nodes.empty())
    {
        throw ScenarioError(
            file,
            "/faults/nodes",
            fmt::format("{}; allowed on a testbed: none, only links have faults there",
                        counted(scenario.faults.nodes.size(), "fault")));
    }
}

} // namespace

void
CheckForTestbed(const std::string& file, const Experiment& experiment)
{
    for (const ExperimentPoint& point : experiment.points)
    {
        CheckForTestbed(file, *point.combination);
    }
}

} // namespace ns3
