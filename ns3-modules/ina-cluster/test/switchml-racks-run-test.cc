/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

/** SwitchML in racks. Run() verifies sums, that no aggregator is in use, and that the counters
 * of links balance. */
#include "cluster-test-support.h"

#include <algorithm>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

using ina::faults::NodeFault;
using ina::programs::AggregatorEvent;

constexpr uint32_t RACKS = 4;
constexpr uint32_t FRAGMENTS = 300;

/** Jobs of 7, 2 and 3 workers on 12 hosts in four racks: the first is in racks 0 to 2, the
 * second in rack 2, the third in rack 3. */
Scenario
MakeRacks(uint64_t seed = 1)
{
    Scenario scenario =
        MakeScenario(system_called("switchml"), 7, {MakeLayer(FRAGMENTS, 5 * US, 10 * US)});
    scenario.topology.hosts = 12;
    scenario.topology.racks = RACKS;
    scenario.seed = seed;
    for (const uint32_t workers : {2, 3})
    {
        scenario.jobs.push_back(scenario.jobs.front());
        scenario.jobs.back().workers = workers;
    }
    scenario.jobs.front().jitter.range = {0, 30 * US};
    return scenario;
}

const LinkRow&
LinkOf(const InaRunResult& result, const std::string& name)
{
    return *std::ranges::find(result.links, name, &LinkRow::link);
}

uint64_t
GetFramesSent(const InaRunResult& result, const std::string& name)
{
    return LinkOf(result, name).frames_sent;
}

uint64_t
FramesLost(const InaRunResult& result, const std::string& name)
{
    return *LinkOf(result, name).lost;
}

TEST(SwitchmlRacksRun, AnUplinkCarriesOneUpdateAndOneResultOfASlot)
{
    Scenario scenario = MakeRacks();
    scenario.jobs.resize(1);
    const InaRunResult result = RunAlone(scenario);
    const uint64_t frames = GetFramesSent(result, "host0>rack0");
    EXPECT_GT(frames, 0U);
    for (const char* rack : {"rack0", "rack1", "rack2"})
    {
        EXPECT_EQ(GetFramesSent(result, std::string(rack) + ">rack3"), frames);
        EXPECT_EQ(GetFramesSent(result, std::string("rack3>") + rack), frames);
    }
    EXPECT_EQ(result.switchRejectedFrames, 0U);
}

TEST(SwitchmlRacksRun, AJobInOneRackIsAddedUpThere)
{
    Scenario scenario = MakeRacks();
    scenario.jobs.resize(1);
    scenario.jobs[0].workers = 3; // all in the first rack
    const InaRunResult result = RunAlone(scenario);
    EXPECT_GT(GetFramesSent(result, "host0>rack0"), 0U);
    EXPECT_EQ(GetFramesSent(result, "rack0>rack3"), 0U);
}

TEST(SwitchmlRacksRun, EverySumIsExactWhateverGetsLostBetweenSwitchesAndHosts)
{
    uint64_t lostUp = 0;
    uint64_t lostDown = 0;
    for (uint64_t seed = 1; seed <= 5; ++seed)
    {
        Scenario scenario = MakeRacks(seed);
        scenario.faults.links = {Losses("racks"), Losses("hosts")};
        const InaRunResult result = RunAlone(scenario);
        lostUp += FramesLost(result, "rack0>rack3");
        lostDown += FramesLost(result, "rack3>rack0");
    }
    EXPECT_GT(lostUp, 0U);
    EXPECT_GT(lostDown, 0U);
}

TEST(SwitchmlRacksRun, BlocksOfFloatingPointHaveTheLargestExponentOfAllRacks)
{
    Scenario scenario = MakeRacks();
    scenario.of<ina::systems::Switchml>().quantisation =
        ina::cluster::Quantisation::block_floating_point;
    scenario.faults.links = {Losses("all")};
    const InaRunResult result = RunAlone(scenario);
    EXPECT_EQ(result.jobs[0].status, ina::cluster::JobStatus::finished);
}

TEST(SwitchmlRacksRun, BothEnginesAgree)
{
    Scenario scenario = MakeRacks();
    scenario.faults.links = {Losses("all")};
    scenario.faults.nodes = {Fault(NodeFault::switch_reboots, 30 * US, 50 * US, 0, 0),
                             Fault(NodeFault::worker_returns, 50 * US, 200 * US, 1, 0)};
    ExpectBothEnginesAgree(scenario);
}

TEST(SwitchmlRacksRun, AllJobsAreRegisteredAgainWhereTheRootReboots)
{
    for (uint64_t seed = 1; seed <= 5; ++seed)
    {
        Scenario scenario = MakeRacks(seed);
        scenario.faults.nodes = {Fault(NodeFault::switch_reboots, 20 * US, 100 * US, 0, 0)};
        const InaRunResult result = RunAlone(scenario);
        EXPECT_GT(result.framesWhileDown, 0U) << "seed " << seed;
        for (const JobRow& job : result.jobs)
        {
            EXPECT_EQ(job.status, ina::cluster::JobStatus::finished) << "seed " << seed;
        }
        EXPECT_EQ(result.jobs[0].registrations, 2U) << "seed " << seed;
    }
}

} // namespace
} // namespace ns3
