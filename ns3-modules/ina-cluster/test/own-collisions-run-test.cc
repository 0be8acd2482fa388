/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// A job that is alone at a switch collides with itself if its fragments are hashed.
#include "cluster-test-support.h"

#include "hw/cluster/control/job_ids.hpp"
#include "switch-models/policies/collision_policy.hpp"
#include "switch-models/programs/make_program.hpp"

#include <gmock/gmock.h>

#include <set>
#include <string>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

using testing::SizeIs;

/** A job whose window has about half as many packets as there are aggregators. Only its id is
 * drawn. */
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
    else
    {
        // One worker is late by a window. Otherwise, the packets of a task would arrive together,
        // complete the task at once, and not collide. The default policy would never send a task
        // to the server because of a collision within its job.
        scenario.jobs[0].compute_time_factors = {{1.5}, {1}, {1}, {1}};
        scenario.of<ina::systems::Dsa>().program.policy = ina::policies::kDsaPolicy;
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
    scenario.topology.parameter_servers = 3;
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

/** JCT of a DSA job alone. Its workers begin to send up to 300 us apart. Fast workers are ahead by
 * a window of 196 packets, while links of 2.5 us hold 204 packets. */
double
JctOnLinksOf(int64_t delay, ina::policies::CollisionPolicy policy, uint64_t seed)
{
    Scenario scenario =
        MakeScenario(system_called("dsa"),
                     8,
                     {{"front", 500'000, 80 * US, 0}, {"back", 500'000, 80 * US, 0}});
    scenario.of<ina::systems::Dsa>().program.policy = policy;
    scenario.topology.link.delay_ps = delay;
    scenario.jobs[0].profile.partition_bytes = 1'000'000;
    scenario.jobs[0].jitter.range = {0, 300 * US};
    scenario.payload = Payload::none;
    scenario.seed = seed;
    const InaRunResult result = RunAlone(scenario);
    return static_cast<double>(*result.jobs[0].jct());
}

class ShorterLinksTest : public testing::TestWithParam<int64_t>
{
};

INSTANTIATE_TEST_SUITE_P(Delays, ShorterLinksTest, testing::Values(US / 2, US, 2 * US));

TEST_P(ShorterLinksTest, MakeADsaJobAloneNoSlower)
{
    const auto policy = ina::programs::DsaConfig().policy;
    for (uint64_t seed = 1; seed <= 3; ++seed)
    {
        EXPECT_LE(JctOnLinksOf(GetParam(), policy, seed),
                  1.03 * JctOnLinksOf(5 * US / 2, policy, seed));
    }
}

/** Tasks are split between switch and server, and wait 1 ms for a reminder. */
TEST(ShorterLinks, MakeADsaJobAloneSlowerWherePrioritiesDecideWithinAJob)
{
    const auto policy = ina::policies::kDsaPolicy;
    EXPECT_GT(JctOnLinksOf(US / 2, policy, 1), 900 * US + JctOnLinksOf(5 * US / 2, policy, 1));
}

} // namespace
} // namespace ns3
