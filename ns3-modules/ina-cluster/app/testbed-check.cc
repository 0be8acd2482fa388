/* SPDX-License-Identifier: GPL-2.0-only */
#include "testbed-check.h"

#include "scenarios/reader/scenario_error.hpp"
#include "scenarios/reader/scenario_sizes.hpp"

#include <fmt/format.h>

namespace ns3
{

using namespace ina::scenarios;
using ina::faults::NodeFault;

namespace
{

/// A job that goes on under another id: nobody tells processes of it.
bool
RegistersAgain(NodeFault fault, ina::wire::Protocol protocol)
{
    return fault == NodeFault::worker_returns ||
           (fault == NodeFault::switch_reboots && !ina::faults::jobs_survive_reboot(protocol));
}

void
CheckForTestbed(const std::string& file, const Scenario& scenario)
{
    for (std::size_t index = 0; index < scenario.faults.nodes.size(); ++index)
    {
        const NodeFault fault = scenario.faults.nodes[index].fault;
        if (RegistersAgain(fault, protocol_of(scenario)))
        {
            throw ScenarioError(file,
                                fmt::format("/faults/nodes/{}/fault", index),
                                fmt::format("{}; allowed on a testbed: faults after which no job "
                                            "is registered again",
                                            ina::faults::name_of(fault)));
        }
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
