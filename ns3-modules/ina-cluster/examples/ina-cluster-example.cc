/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// Two training jobs of four workers each share a switch with few aggregators. The cluster is
// described in C++, without a JSON file. Prints the completion time of every iteration and its
// breakdown.

#include "ns3/command-line.h"
#include "ns3/ina-cluster-run.h"
#include "ns3/simulator.h"

#include <iomanip>
#include <iostream>
#include <string>

using namespace ns3;
using namespace ina::scenarios;

namespace
{

constexpr int64_t US = 1'000'000; // in picoseconds

void
PrintIteration(uint16_t job, uint32_t iteration, Time completion)
{
    std::cout << Simulator::Now().As(Time::US) << ": job " << job << " ends iteration " << iteration
              << " after " << completion.As(Time::US) << std::endl;
}

JobScenario
MakeJob(const std::string& name, uint64_t parameters)
{
    JobScenario job;
    job.workers = 4;
    job.iterations = 2;
    job.profile.name = name;
    job.profile.layers = {{"front", parameters, 20 * US, 40 * US},
                          {"back", 2 * parameters, 20 * US, 40 * US}};
    job.jitter.range = {0, 30 * US};
    return job;
}

void
PrintPart(const char* name, int64_t ps)
{
    std::cout << "  " << std::setw(13) << name << std::setw(10) << static_cast<double>(ps) / US
              << " us" << std::endl;
}

} // namespace

int
main(int argc, char* argv[])
{
    uint64_t memory = 100'000;
    CommandLine cmd(__FILE__);
    cmd.AddValue("memory", "memory of the switch for aggregators, in bytes", memory);
    cmd.Parse(argc, argv);

    Scenario scenario;
    scenario.system = system_called("dsa");
    scenario.topology.hosts = 8;
    scenario.topology.parameter_servers = 2;
    scenario.switch_.memory_bytes = memory;
    scenario.jobs = {MakeJob("small", 20'000), MakeJob("large", 60'000)};

    Time::SetResolution(Time::PS);
    InaClusterRun run(scenario);
    for (const auto& job : run.Build().jobs)
    {
        job->TraceConnectWithoutContext("IterationEnd", MakeCallback(&PrintIteration));
    }
    const InaRunResult result =
        run.Run(); // throws ina::cluster::VerificationError if a result is wrong

    const ina::results::IterationRow& last = result.iterations[1].back();
    std::cout << std::fixed << std::setprecision(3) << "The last iteration of job 1:" << std::endl;
    PrintPart("compute", last.breakdown.compute);
    PrintPart("serialisation", last.breakdown.serialisation);
    PrintPart("propagation", last.breakdown.propagation);
    PrintPart("queueing", last.breakdown.queueing);
    PrintPart("slot wait", last.breakdown.slot_wait);
    PrintPart("window wait", last.breakdown.window_wait);
    PrintPart("straggler", last.breakdown.straggler);
    PrintPart("lateness", last.breakdown.lateness);
    PrintPart("fallback", last.breakdown.fallback);
    PrintPart("recovery", last.breakdown.recovery);
    PrintPart("period", last.period);
    Simulator::Destroy();
    return 0;
}
