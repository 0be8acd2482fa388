/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// A job that is alone at a switch collides with itself where its fragments are hashed.
#include "cluster-test-support.h"

#include "hw/cluster/control/job_ids.hpp"

#include <gmock/gmock.h>

#include <set>
#include <string>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

using testing::SizeIs;

/** A job whose window has about half as many packets as there are aggregators. Nothing is drawn
 * but its id. */
Scenario
MakeHashed(const std::string& system, uint64_t seed)
{
    Scenario scenario =
        MakeScenario(system_called(system), 4, {MakeLayer(4'000, 10 * US, 10 * US)});
    scenario.switch_.memory_bytes = 100'000;
    scenario.payload = Payload::none;
    scenario.seed = seed;
    if (system == "atp")
    {
        scenario.of<ina::systems::Atp>().worker.addressing.scheme =
            ina::wire::AddressingScheme::hash;
    }
    return scenario;
}

TEST(CollisionsOfAJobWithItself, DifferFromSeedToSeed)
{
    for (const std::string system : {"atp", "dsa"})
    {
        std::set<uint64_t> fallbacks;
        for (uint32_t seed = 1; seed <= 5; ++seed)
        {
            const InaRunResult result = RunAlone(MakeHashed(system, seed));
            fallbacks.insert(result.jobs[0].fallbacks);
            EXPECT_EQ(result.jobs[0].job, 0U);
        }
        EXPECT_THAT(fallbacks, SizeIs(testing::Ge(3U))) << system;
    }
}

TEST(CollisionsOfAJobWithItself, AreThoseOfItsSeed)
{
    for (const std::string system : {"atp", "dsa"})
    {
        const InaRunResult first = RunAlone(MakeHashed(system, 3));
        const InaRunResult again = RunAlone(MakeHashed(system, 3));
        EXPECT_GT(first.jobs[0].fallbacks, 0U) << system;
        EXPECT_EQ(first.jobs[0].fallbacks, again.jobs[0].fallbacks) << system;
        EXPECT_EQ(EndOf(first.iterations[0].back()), EndOf(again.iterations[0].back())) << system;
    }
}

TEST(JobIdsOfARun, AreDrawnFromTheSeedWhileJobsKeepTheirNumbers)
{
    Scenario scenario = MakeHashed("dsa", 9);
    scenario.jobs.assign(3, JobScenario(scenario.jobs[0]));
    scenario.topology.hosts = 12;
    const ina::cluster::JobIds ids(9, 3);
    const InaOwnSimulator simulator(scenario);
    InaClusterRun run(scenario);
    const InaCluster& cluster = run.Build();
    for (uint16_t job = 0; job < 3; ++job)
    {
        EXPECT_EQ(cluster.jobs[job]->GetNumber(), job);
        EXPECT_EQ(cluster.control->GetId(job), ids.at(job));
        EXPECT_EQ(cluster.control->GetJob(ids.at(job)), job);
    }
    const InaRunResult result = run.Run();
    for (std::size_t job = 0; job < 3; ++job)
    {
        EXPECT_EQ(result.jobs[job].job, job);
    }
}

} // namespace
} // namespace ns3
