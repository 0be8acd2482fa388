/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

/** Jobs with more workers than bits in a bitmap. Run() verifies every sum. */
#include "cluster-test-support.h"

#include <cstdint>
#include <string>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

constexpr uint32_t WORKERS_OF_A_LEAF = 32;

class WideJobsRunTest : public testing::TestWithParam<System>
{
  protected:
    /** A job on `leaves` leaves of 32 workers each, and a rack for the parameter server. */
    static Scenario
    Make(uint32_t leaves, uint32_t fragments)
    {
        Scenario scenario =
            MakeScenario(GetParam(), leaves * WORKERS_OF_A_LEAF, {MakeLayer(fragments, 0, 0)});
        scenario.topology.type = TopologyType::leaf_spine;
        scenario.topology.racks = leaves + 1;
        scenario.topology.hosts_per_rack = WORKERS_OF_A_LEAF;
        scenario.topology.spines = 2;
        scenario.topology.parameter_servers = 1;
        return scenario;
    }
};

INSTANTIATE_TEST_SUITE_P(Every,
                         WideJobsRunTest,
                         testing::ValuesIn(ina::testing::every_system()),
                         [](const auto& info)
                         { return std::string(ina::cluster::name_of(info.param)); });

TEST_P(WideJobsRunTest, AThousandAndTwentyFourWorkersHaveExactSums)
{
    EXPECT_EQ(RunAlone(Make(32, 40)).switchRejectedFrames, 0U);
}

TEST_P(WideJobsRunTest, SumsAreExactWhateverGetsLost)
{
    for (const char* link : {"all", "racks"})
    {
        Scenario scenario = Make(3, 80);
        scenario.faults.links = {Losses(link)};
        RunAlone(scenario);
    }
}

TEST_P(WideJobsRunTest, SumsAreExactWithFewAggregatorsAndWorkersAtTheRoot)
{
    Scenario scenario = Make(3, 50);
    scenario.topology.racks = 3;
    scenario.topology.hosts_per_rack = 40;
    scenario.topology.placement = Placement::spread;
    scenario.jobs.front().workers = 66;
    scenario.switch_.memory_bytes = 30'000;
    scenario.jobs.front().jitter.range = {0, 20 * US};
    if (GetParam() == system_called("switchml"))
    {
        scenario.switch_.memory_bytes = 2'000'000;
    }
    EXPECT_EQ(RunAlone(scenario).switchRejectedFrames, 0U);
}

/** The reminder continues with the leaves that have not answered. If it restarted with all leaves
 * at each timeout, this would take seventy times as long as at one switch. */
TEST(WideJobsOfDsa, LossesInManyRacksTakeAtMostAFewTimesAsLongAsAtOneSwitch)
{
    constexpr int64_t TIMES = 30;
    const auto jct = [](TopologyType type)
    {
        Scenario scenario = MakeScenario(system_called("dsa"), 16, {MakeLayer(500, 0, 0)});
        scenario.topology.type = type;
        scenario.topology.k = 4;
        scenario.topology.hosts = 16;
        scenario.topology.parameter_servers = 1;
        LinkFaultsScenario losses;
        losses.loss = 0.05;
        scenario.faults.links = {losses};
        scenario.time_limit_ps = 30'000'000 * US;
        const JobRow job = RunAlone(scenario).jobs.front();
        return *job.end - *job.start;
    };
    EXPECT_LT(jct(TopologyType::fat_tree), TIMES * jct(TopologyType::star));
}

/** Reminders and requests must leave enough of the slow link for fragments. */
TEST(WideJobsOfDsa, EndBehindASlowHostInRacksToo)
{
    Scenario scenario = MakeScenario(system_called("dsa"), 4, {MakeLayer(65, 0, 0)});
    scenario.topology.racks = 2;
    OwnLinkScenario slow;
    slow.link = "host0";
    slow.rate_bps = 2'000'000;
    scenario.topology.links = {slow};
    EXPECT_EQ(RunAlone(scenario).jobs.front().status, ina::cluster::JobStatus::finished);
}

} // namespace
} // namespace ns3
