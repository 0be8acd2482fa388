/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

/** Every system on networks with several paths. Run() verifies every sum, that no switch holds an
 * aggregator, and the balance of every link. */
#include "cluster-test-support.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

using ina::faults::NodeFault;

class TopologiesRunTest : public testing::TestWithParam<std::tuple<System, TopologyType>>
{
  protected:
    static System
    OfSystem()
    {
        return std::get<0>(GetParam());
    }

    /** Jobs of 9 and 4 workers in 4 racks under 3 spines, in the 8 racks of a fat tree, on 4 rails,
     * or in the racks of a graph. Aggregators are so few that they collide. */
    static Scenario
    Make(uint64_t seed = 1)
    {
        Scenario scenario = MakeScenario(OfSystem(), 9, {MakeLayer(200, 5 * US, 10 * US)});
        scenario.topology.type = std::get<1>(GetParam());
        scenario.topology.racks = 4;
        scenario.topology.hosts_per_rack = 4;
        scenario.topology.spines = 3;
        scenario.topology.k = 4;
        scenario.topology.hosts = 4;
        scenario.topology.rails = 4;
        scenario.topology.switches = {{"leaf0", 4}, {"up"}, {"down"}, {"leaf1", 3}, {"leaf2", 6}};
        scenario.topology.trunks = {{"leaf0", "up"},
                                    {"leaf0", "down"},
                                    {"leaf1", "up"},
                                    {"leaf1", "down"},
                                    {"leaf2", "down"},
                                    {"leaf2", "up"}};
        scenario.topology.servers_at = "leaf1";
        scenario.topology.parameter_servers = 2;
        scenario.topology.uplink.rate_bps = 50'000'000'000;
        scenario.switch_.memory_bytes = 60'000;
        scenario.seed = seed;
        scenario.jobs.push_back(scenario.jobs.front());
        scenario.jobs.back().workers = 4;
        scenario.jobs.front().jitter.range = {0, 30 * US};
        return scenario;
    }
};

INSTANTIATE_TEST_SUITE_P(Every,
                         TopologiesRunTest,
                         testing::Combine(testing::ValuesIn(ina::testing::every_system()),
                                          testing::Values(TopologyType::leaf_spine,
                                                          TopologyType::fat_tree,
                                                          TopologyType::rail,
                                                          TopologyType::graph)),
                         [](const auto& info)
                         {
                             return std::string(ina::cluster::name_of(std::get<0>(info.param))) +
                                    "_" + std::string(name_of(std::get<1>(info.param)));
                         });

TEST_P(TopologiesRunTest, JobsEndWithoutAFrameThatASwitchRefuses)
{
    EXPECT_EQ(RunAlone(Make()).switchRejectedFrames, 0U);
}

TEST_P(TopologiesRunTest, EverySumIsExactWhateverGetsLostOnAnyLink)
{
    uint64_t lost = 0;
    for (uint64_t seed = 1; seed <= 3; ++seed)
    {
        Scenario scenario = Make(seed);
        scenario.faults.links = {Losses("all")};
        for (const LinkRow& link : RunAlone(scenario).links)
        {
            lost += *link.lost;
        }
    }
    EXPECT_GT(lost, 0U);
}

TEST_P(TopologiesRunTest, BothEnginesAgree)
{
    Scenario scenario = Make();
    scenario.faults.links = {Losses("racks")};
    scenario.faults.nodes = {Fault(NodeFault::switch_reboots, 30 * US, 50 * US, 0, 0),
                             Fault(NodeFault::worker_returns, 50 * US, 200 * US, 1, 0)};
    ExpectBothEnginesAgree(scenario);
}

TEST_P(TopologiesRunTest, JobsThatAreKilledOrComeBackLeaveTheirFramesNowhere)
{
    for (const int64_t at : {2, 5, 10, 20, 40})
    {
        Scenario scenario = Make();
        scenario.faults.nodes = {Fault(NodeFault::job_is_killed, at * US, 0, 0, 0),
                                 Fault(NodeFault::worker_returns, at * US, 20 * US, 1, 0)};
        const InaRunResult result = RunAlone(scenario);
        EXPECT_EQ(result.jobs[0].status, ina::cluster::JobStatus::killed);
        EXPECT_EQ(result.jobs[1].status, ina::cluster::JobStatus::finished);
        EXPECT_EQ(result.framesWithoutRoute, 0U);
    }
}

/** The seed selects paths: several for the flows of a plain parameter server, one for a job's
 * packets. */
TEST_P(TopologiesRunTest, AJobThatIsAddedUpTakesOneWayOutOfARackAndFlowsTakeSeveral)
{
    const std::map<TopologyType, std::string> racks{{TopologyType::leaf_spine, "leaf0>"},
                                                    {TopologyType::fat_tree, "edge0>"},
                                                    {TopologyType::rail, "rail0>"},
                                                    {TopologyType::graph, "leaf0>"}};
    const std::string& leaf = racks.at(std::get<1>(GetParam()));
    Scenario scenario = Make();
    scenario.topology.root = ina::cluster::RootChoice::server_leaf;
    scenario.jobs.resize(1);
    std::set<std::string> everUsed;
    uint64_t mostAtOnce = 0;
    for (scenario.seed = 1; scenario.seed <= 8; ++scenario.seed)
    {
        uint64_t used = 0;
        for (const auto& [link, frames] : FramesByLink(RunAlone(scenario)))
        {
            if (link.starts_with(leaf) && link.find(">host") == std::string::npos && frames != 0)
            {
                ++used;
                everUsed.insert(link);
            }
        }
        mostAtOnce = std::max(mostAtOnce, used);
    }
    EXPECT_GT(everUsed.size(), 1U);
    EXPECT_EQ(mostAtOnce > 1, !ina::cluster::traits_of(OfSystem()).has_aggregators);
}

} // namespace
} // namespace ns3
