/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// Stands for another module or program that uses this one: includes all of its headers along with
// ns-3's umbrella headers, uses names of both, and runs a small cluster.

#include "ns3/core-module.h"
#include "ns3/ina-module.h"
#include "ns3/network-module.h"

#include <iostream>

using namespace ns3;
using namespace ina::scenarios;

int
main()
{
    Scenario scenario;
    scenario.system = system_called("atp");
    scenario.topology.hosts = 2;
    scenario.topology.parameter_servers = 1;
    JobScenario job;
    job.workers = 2;
    job.profile.layers = {{"only", 10'000, 0, 0}};
    scenario.jobs = {job};

    Time::SetResolution(Time::PS);
    InaClusterRun run(scenario);
    const auto jobs = run.Build().jobs;
    Names::Add("job", jobs.front());
    run.Run();
    const bool ended =
        Names::Find<Object>("job") == jobs.front() && Simulator::Now().IsStrictlyPositive();
    Simulator::Destroy();
    std::cout << (ended ? "ended" : "did not end") << std::endl;
    return ended ? 0 : 1;
}
