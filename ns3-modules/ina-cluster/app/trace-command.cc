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

#include <sstream>

namespace ns3
{

namespace
{

using ina::scenarios::InputError;

/// Runs until the end of the window or of the run. Returns that time.
Time
Run(const ina::scenarios::Scenario& scenario, InaTimeline& timeline, const Time& to)
{
    const InaOwnSimulator simulator(scenario);
    InaClusterRun run(scenario,
                      {.linkSample = [&timeline](const ina::results::LinkSeriesRow& sample)
                       { timeline.AddLinkSample(sample); }});
    timeline.ConnectTo(run.Build());
    bool isOver = false;
    if (to != Time::Max())
    {
        Simulator::Schedule(to,
                            [&isOver]()
                            {
                                isOver = true;
                                Simulator::Stop();
                            });
    }
    try
    {
        return run.Run().simulatedTime;
    }
    catch (const ina::cluster::VerificationError&)
    {
        if (!isOver && !timeline.IsFull())
        {
            throw;
        }
        return to;
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
    InaOwnSimulator::SetResolution(); // before the first time
    const InaTimeline::Config window{.from = TimeStep(static_cast<uint64_t>(request.fromPs)),
                                     .to = TimeStep(static_cast<uint64_t>(request.toPs)),
                                     .frames = request.frames};
    InaTimeline timeline(window);
    const Time end = Run(scenario, timeline, window.to);
    if (!timeline.IsFull())
    {
        timeline.Finish(end);
    }
    if (timeline.IsFull())
    {
        throw InputError(file,
                         "--to",
                         fmt::format("found more than {} events in the window; allowed: a shorter "
                                     "window, a longer --interval, or no --frames",
                                     window.mostEvents));
    }
    if (timeline.Events() == 0)
    {
        throw InputError(
            file,
            "--from",
            fmt::format(
                "found no events between {} and {}; allowed: a window with events of the run",
                ina::scenarios::format_time(request.fromPs),
                ina::scenarios::format_time(end.GetTimeStep())));
    }
    std::ostringstream out;
    out << mark << ",\n\"otherData\":" << OriginOf(point).dump() << ",\n";
    timeline.Write(out);
    out << "}\n";
    return out.str();
}

} // namespace ns3
