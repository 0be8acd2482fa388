/* SPDX-License-Identifier: GPL-2.0-only */
#include "testbed-check.h"

#include "hw/fields/counted.hpp"
#include "hw/fields/input_error.hpp"

#include <fmt/format.h>

namespace ns3
{

using namespace ina::scenarios;

namespace
{

void
CheckForTestbed(const std::string& file, const Scenario& scenario)
{
    if (scenario.topology.racks > 1)
    {
        throw InputError(
            file,
            "/topology/racks",
            fmt::format("{}; allowed on a testbed: 1, it has one switch", scenario.topology.racks));
    }
    if (!scenario.faults.nodes.empty())
    {
        throw InputError(file,
                         "/faults/nodes",
                         fmt::format("{}; allowed on a testbed: none, only links have faults there",
                                     counted(scenario.faults.nodes.size(), "fault")));
    }
    if (scenario.hosts().overflow() > 0)
    {
        throw InputError(
            file,
            "/atp/overflow",
            fmt::format("{}; allowed on a testbed: 0, its workers have no floats to send again",
                        scenario.hosts().overflow()));
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
