/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

/** ATP and DSA in racks. Run() verifies every sum, that no switch holds an aggregator, and the
 * balance of every link. */
#include "cluster-test-support.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <vector>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

using ina::faults::NodeFault;
using ina::programs::AggregatorEvent;

constexpr uint32_t RACKS = 4;

struct Tree
{
    System system;
    uint32_t levels; //!< for ATP
};

/** GoogleTest would print the bytes of the structure, whose padding is uninitialised. */
void
PrintTo(const Tree& tree, std::ostream* out)
{
    *out << ina::cluster::name_of(tree.system) << ", " << tree.levels << " levels";
}

class RacksRunTest : public testing::TestWithParam<Tree>
{
  protected:
    /** Jobs of 7, 2 and 3 workers on 12 hosts in four racks. Aggregators are so few that they
     * collide. */
    static Scenario
    Make(uint64_t seed = 1)
    {
        Scenario scenario = MakeScenario(GetParam().system, 7, {MakeLayer(300, 5 * US, 10 * US)});
        scenario.topology.hosts = 12;
        scenario.topology.racks = RACKS;
        scenario.topology.parameter_servers = 3;
        scenario.topology.uplink.rate_bps = 50'000'000'000;
        scenario.switch_.memory_bytes = 40'000;
        scenario.of<ina::systems::Atp>().rack_levels = GetParam().levels;
        scenario.seed = seed;
        for (const uint32_t workers : {2, 3})
        {
            scenario.jobs.push_back(scenario.jobs.front());
            scenario.jobs.back().workers = workers;
        }
        scenario.jobs.front().jitter.range = {0, 30 * US};
        return scenario;
    }
};

INSTANTIATE_TEST_SUITE_P(Trees,
                         RacksRunTest,
                         testing::Values(Tree{system_called("atp"), 1},
                                         Tree{system_called("atp"), 2},
                                         Tree{system_called("dsa"), 2}));

class AtpRacksRunTest : public RacksRunTest
{
};

INSTANTIATE_TEST_SUITE_P(Levels, AtpRacksRunTest, testing::Values(Tree{system_called("atp"), 1}));

TEST_P(RacksRunTest, JobsEndWithoutAFrameThatASwitchRefuses)
{
    const InaRunResult result = RunAlone(Make());
    EXPECT_EQ(result.switchRejectedFrames, 0U);
    EXPECT_GT(result.jobs[0].fallbacks, 0U);
    EXPECT_EQ(result.samples.back().name, "rack3");
}

TEST_P(RacksRunTest, EverySumIsExactWhateverGetsLostBetweenSwitchesAndHosts)
{
    std::map<std::string, uint64_t> lost;
    for (uint64_t seed = 1; seed <= 5; ++seed)
    {
        Scenario scenario = Make(seed);
        scenario.faults.links = {Losses("racks"), Losses("hosts")};
        const InaRunResult result = RunAlone(scenario);
        for (const LinkRow& link : result.links)
        {
            lost[link.link] += *link.lost;
        }
    }
    EXPECT_GT(lost.at("rack0>rack3"), 0U);
    EXPECT_GT(lost.at("rack3>rack0"), 0U);
}

TEST_P(RacksRunTest, BothEnginesAgree)
{
    Scenario scenario = Make();
    scenario.faults.links = {Losses("all")};
    scenario.faults.nodes = {Fault(NodeFault::switch_reboots, 30 * US, 50 * US, 0, 0),
                             Fault(NodeFault::worker_returns, 50 * US, 200 * US, 1, 0)};
    ExpectBothEnginesAgree(scenario);
}

/** The type of a task accounts for collisions at all switches. */
TEST_P(AtpRacksRunTest, TasksThatCollideInTheirRackAreOfTypeTwoAndThree)
{
    Scenario scenario = Make();
    scenario.jobs.resize(1);
    scenario.jobs[0].workers = 6; // none at the servers' switch, which only forwards
    scenario.switch_.memory_bytes = 10 * 248;
    scenario.of<ina::systems::Atp>().worker.addressing.scheme =
        ina::wire::AddressingScheme::hash; // with a table, a job never collides with itself
    scenario.faults.links = {Losses("ps0")};
    scenario.faults.links[0].loss = 0; // types are counted if there are faults
    const InaRunResult result = RunAlone(scenario);
    const JobRow& job = result.jobs[0];
    EXPECT_GT(job.fallbacks, 0U);
    EXPECT_GT((*job.tasks)[1], 0U); // owners that met a packet of another task
    EXPECT_GT((*job.tasks)[2], 0U);
    EXPECT_LE((*job.tasks)[2], job.fallbacks); // at least one packet per task
    EXPECT_EQ((*job.tasks)[0] + (*job.tasks)[1] + (*job.tasks)[2], 300U);
}

/** The sum of a rack goes up once. Results come down once, and only to racks that have workers.
 * Under DSA the switch answers and the server gets no frame. */
TEST_P(RacksRunTest, AnUplinkCarriesOneSumAndOneResultOfAFragment)
{
    Scenario scenario = Make();
    scenario.jobs.resize(1);
    scenario.switch_.memory_bytes = 16'384 * scenario.switches().aggregator_bytes();
    const InaRunResult result = RunAlone(scenario);
    const auto frames = [&](const std::string& name)
    {
        const auto link = std::find_if(result.links.begin(),
                                       result.links.end(),
                                       [&](const LinkRow& one) { return one.link == name; });
        return link->frames_sent;
    };
    for (const char* rack : {"rack0", "rack1", "rack2"})
    {
        EXPECT_EQ(frames(std::string(rack) + ">rack3"), 300U);
        EXPECT_EQ(frames(std::string("rack3>") + rack), 300U);
    }
    const uint64_t ofAtp = GetParam().levels == 1 ? 900 : 300;
    EXPECT_EQ(frames("rack3>ps0"), GetParam().system == system_called("atp") ? ofAtp : 0);
    EXPECT_EQ(frames("rack3>host9"), 0U);
}

TEST_P(RacksRunTest, JobsGoOnWhereTheServersSwitchReboots)
{
    for (uint64_t seed = 1; seed <= 5; ++seed)
    {
        Scenario scenario = Make(seed);
        scenario.faults.nodes = {Fault(NodeFault::switch_reboots, 30 * US, 100 * US, 0, 0)};
        const InaRunResult result = RunAlone(scenario);
        EXPECT_GT(result.framesWhileDown, 0U) << "seed " << seed;
        for (const JobRow& job : result.jobs)
        {
            EXPECT_EQ(job.status, ina::cluster::JobStatus::finished) << "seed " << seed;
            EXPECT_EQ(job.registrations, 1U) << "seed " << seed;
        }
    }
}

/** A switch that does not know the new id of a job would drop all its frames. The samples of each
 * switch continue the counters of the first id. */
TEST_P(RacksRunTest, AJobThatIsRegisteredAgainIsKnownToEverySwitchAboveItsWorkers)
{
    for (uint64_t seed = 1; seed <= 5; ++seed)
    {
        Scenario scenario = Make(seed);
        scenario.jobs[0].iterations = 3;
        scenario.outputs.switch_interval_ps = 10 * US;
        scenario.faults.nodes = {Fault(NodeFault::worker_returns, 100 * US, 500 * US, 0, 0)};
        const InaRunResult result = RunAlone(scenario);
        EXPECT_EQ(result.jobs[0].status, ina::cluster::JobStatus::finished) << "seed " << seed;
        EXPECT_EQ(result.jobs[0].registrations, 2U) << "seed " << seed;
        for (uint32_t rack = 0; rack < RACKS; ++rack)
        {
            std::vector<uint64_t> completed;
            for (const SwitchRow& sample : result.samples)
            {
                if (sample.name == fmt::format("rack{}", rack) && sample.job == 0)
                {
                    completed.push_back(sample.completed);
                }
            }
            EXPECT_TRUE(std::ranges::is_sorted(completed)) << "rack " << rack << ", seed " << seed;
            EXPECT_TRUE(rack + 1 == RACKS || completed.back() > 0U)
                << "rack " << rack << ", seed " << seed;
        }
    }
}

TEST_P(RacksRunTest, AJobThatIsKilledLeavesEverySwitchToTheOthers)
{
    ExpectTheOthersToFinishWithoutTheFirst(Make(), 30 * US);
}

} // namespace
} // namespace ns3
