/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "trace-command.h"

#include "build-info.h"

#include "hw/cluster/training/verification_error.hpp"
#include "hw/fields/input_error.hpp"
#include "hw/fields/quantity.hpp"
#include "scenarios/runs/finished_runs.hpp"

#include "ns3/ina-cluster-run.h"
#include "ns3/ina-own-simulator.h"
#include "ns3/simulator.h"

#include <fmt/format.h>

#include <limits>
#include <sstream>

namespace ns3
{

namespace
{

using ina::scenarios::InputError;

/// Runs until the end of the window or of the run. Returns that time.
int64_t
Run(const ina::scenarios::Scenario& scenario, InaTimeline& timeline, int64_t toTs)
{
    const InaOwnSimulator simulator(scenario);
    InaClusterRun run(scenario,
                      {.linkSample = [&timeline](const ina::results::LinkSeriesRow& sample)
                       { timeline.AddLinkSample(sample); }});
    timeline.ConnectTo(run.Build());
    bool isOver = false;
    if (toTs != std::numeric_limits<int64_t>::max())
    {
        Simulator::Schedule(TimeStep(static_cast<uint64_t>(toTs)),
                            [&isOver]()
                            {
                                isOver = true;
                                Simulator::Stop();
                            });
    }
    try
    {
        return run.Run().simulatedPs;
    }
    catch (const ina::cluster::VerificationError&)
    {
        if (!isOver && !timeline.IsFull())
        {
            throw;
        }
        return toTs;
    }
}

/// The run and its build, in the form that viewers of the format display.
ina::fields::Json
OriginOf(const ina::scenarios::ExperimentPoint& point)
{
    return {{"scenario", point.combination->name},
            {"point", point.index},
            {"swept", ina::runs::identity_of(point).at("swept")},
            {"seed", point.seed},
            {"build", BuildInfo()}};
}

} // namespace

std::string
TraceOf(const std::string& file,
        const ina::scenarios::ExperimentPoint& point,
        const TraceRequest& request,
        const std::string& mark)
{
    ina::scenarios::Scenario scenario = point.with_seed();
    scenario.outputs.link_interval_ps = request.intervalPs;
    InaTimeline timeline(request.window);
    const int64_t endTs = Run(scenario, timeline, request.window.toTs);
    if (!timeline.IsFull())
    {
        timeline.Finish(endTs);
    }
    if (timeline.IsFull())
    {
        throw InputError(file,
                         "--to",
                         fmt::format("found more than {} events in the window; allowed: a shorter "
                                     "window, a longer --interval, or no --frames",
                                     request.window.mostEvents));
    }
    if (timeline.Events() == 0)
    {
        throw InputError(
            file,
            "--from",
            fmt::format(
                "found no events between {} and {}; allowed: a window with events of the run",
                ina::scenarios::format_time(request.window.fromTs),
                ina::scenarios::format_time(endTs)));
    }
    std::ostringstream out;
    out << mark << ",\n\"otherData\":" << OriginOf(point).dump() << ",\n";
    timeline.Write(out);
    out << "}\n";
    return out.str();
}

} // namespace ns3
