/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

/** Trees whose root is not the parameter servers' switch, and servers in other racks, next to
 * workers. Run() verifies every sum, that no switch holds an aggregator, and the balance of every
 * link. */
#include "cluster-test-support.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

using ina::cluster::JobStatus;
using ina::cluster::RootChoice;
using ina::faults::NodeFault;

constexpr uint32_t RACKS = 4;
constexpr uint64_t FRAGMENTS = 300;

class RootsRunTest : public testing::TestWithParam<std::tuple<System, TopologyType, RootChoice>>
{
  protected:
    /** Jobs of 7, 2 and 3 workers with so few aggregators that they collide. Their servers are on a
     * separate host in the first rack, on the host of a worker of the same job, and behind all
     * racks. */
    static Scenario
    Make(uint64_t seed = 1)
    {
        const auto& [system, type, root] = GetParam();
        Scenario scenario = MakeScenario(system, 7, {MakeLayer(FRAGMENTS, 5 * US, 10 * US)});
        TopologyScenario& topology = scenario.topology;
        topology.type = type;
        topology.racks = RACKS;
        topology.hosts = 16;
        topology.hosts_per_rack = 4;
        topology.spines = 3;
        topology.parameter_servers = 3;
        topology.root = root;
        topology.uplink.rate_bps = 50'000'000'000;
        scenario.switch_.memory_bytes = 40'000;
        scenario.seed = seed;
        for (const auto& [hosts, server] :
             std::vector<std::pair<std::vector<uint32_t>, std::string>>{{{9, 13}, "host9"},
                                                                        {{10, 11, 14}, "ps2"}})
        {
            scenario.jobs.push_back(scenario.jobs.front());
            scenario.jobs.back().workers = static_cast<uint32_t>(hosts.size());
            scenario.jobs.back().hosts = hosts;
            scenario.jobs.back().servers = {server};
        }
        JobScenario& first = scenario.jobs.front();
        first.hosts = {0, 1, 4, 5, 6, 8, 12};
        first.servers = {"host2"};
        first.jitter.range = {0, 30 * US};
        return scenario;
    }
};

std::string
NameOf(const testing::TestParamInfo<RootsRunTest::ParamType>& info)
{
    const auto& [system, type, root] = info.param;
    return fmt::format("{}_{}_{}",
                       ina::cluster::name_of(system),
                       name_of(type),
                       ina::cluster::kRootChoiceNames[static_cast<std::size_t>(root)]);
}

INSTANTIATE_TEST_SUITE_P(
    AboveTheRacks,
    RootsRunTest,
    testing::Combine(
        testing::Values(system_called("switchml"), system_called("atp"), system_called("dsa")),
        testing::Values(TopologyType::leaf_spine, TopologyType::fat_tree),
        testing::Values(RootChoice::server_leaf, RootChoice::spine, RootChoice::least_loaded)),
    NameOf);
/** Two racks of the second job are possible roots; at one of them, the third job has fewer
 * branches. */
INSTANTIATE_TEST_SUITE_P(OfAStar,
                         RootsRunTest,
                         testing::Combine(testing::Values(system_called("switchml"),
                                                          system_called("atp"),
                                                          system_called("dsa"),
                                                          system_called("ps")),
                                          testing::Values(TopologyType::star),
                                          testing::Values(RootChoice::server_leaf,
                                                          RootChoice::spine,
                                                          RootChoice::least_loaded)),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(OfNoSystemThatHasOne,
                         RootsRunTest,
                         testing::Combine(testing::Values(system_called("ps")),
                                          testing::Values(TopologyType::leaf_spine),
                                          testing::Values(RootChoice::server_leaf,
                                                          RootChoice::spine)),
                         NameOf);

TEST_P(RootsRunTest, JobsEndWithoutAFrameThatASwitchRefuses)
{
    const InaRunResult result = RunAlone(Make());
    EXPECT_EQ(result.switchRejectedFrames, 0U);
}

TEST_P(RootsRunTest, EverySumIsExactWhateverGetsLostBetweenSwitchesAndHosts)
{
    uint64_t lost = 0;
    for (uint64_t seed = 1; seed <= 3; ++seed)
    {
        Scenario scenario = Make(seed);
        scenario.faults.links = {Losses("all")};
        const InaRunResult result = RunAlone(scenario);
        for (const LinkRow& link : result.links)
        {
            lost += *link.lost;
        }
    }
    EXPECT_GT(lost, 0U);
}

TEST_P(RootsRunTest, BothEnginesAgree)
{
    Scenario scenario = Make();
    scenario.faults.links = {Losses("all")};
    scenario.faults.nodes = {Fault(NodeFault::worker_returns, 50 * US, 200 * US, 1, 0)};
    ExpectBothEnginesAgree(scenario);
}

TEST_P(RootsRunTest, AJobThatIsKilledLeavesEverySwitchToTheOthers)
{
    ExpectTheOthersToFinishWithoutTheFirst(Make(), 30 * US);
}

/** One job on eight hosts of four racks. The racks have no other hosts. */
class SpineRootTest : public testing::TestWithParam<System>
{
  protected:
    static Scenario
    Make(RootChoice root)
    {
        Scenario scenario = MakeScenario(GetParam(), 8, {MakeLayer(FRAGMENTS, 0, 0)});
        scenario.topology.type = TopologyType::leaf_spine;
        scenario.topology.racks = RACKS;
        scenario.topology.hosts_per_rack = 2;
        scenario.topology.spines = 2;
        scenario.topology.root = root;
        scenario.switch_.memory_bytes = 16'384 * scenario.switches().aggregator_bytes();
        return scenario;
    }
};

INSTANTIATE_TEST_SUITE_P(OfEverySystemThatAddsUp,
                         SpineRootTest,
                         testing::Values(system_called("switchml"),
                                         system_called("atp"),
                                         system_called("dsa")),
                         NameOfSystem);

/** With the root at the servers' leaf, the sums of all other racks share one link. */
TEST_P(SpineRootTest, ALinkCarriesOneSumUpAndOneResultDownOfAFragment)
{
    const auto frames = FramesByLink(RunAlone(Make(RootChoice::spine)));
    const std::string spine = frames.at("leaf0>spine0") > 0 ? "spine0" : "spine1";
    const uint64_t fragments = frames.at("host0>leaf0");
    for (uint32_t rack = 0; rack < RACKS; ++rack)
    {
        const std::string leaf = fmt::format("leaf{}", rack);
        const bool ofServer = rack == RACKS - 1 && GetParam() == system_called("atp");
        EXPECT_EQ(frames.at(leaf + ">" + spine), ofServer ? 2 * fragments : fragments);
        EXPECT_EQ(frames.at(spine + ">" + leaf), ofServer ? 2 * fragments : fragments);
    }
    const auto byServerLeaf = FramesByLink(RunAlone(Make(RootChoice::server_leaf)));
    EXPECT_EQ(byServerLeaf.at("spine0>leaf3") + byServerLeaf.at("spine1>leaf3"), 3 * fragments);
}

TEST_P(SpineRootTest, LosesItsRootAndGoesOnAtTheOtherSpine)
{
    for (const RootChoice choice : {RootChoice::spine, RootChoice::least_loaded})
    {
        Scenario scenario = Make(choice);
        const auto frames = FramesByLink(RunAlone(scenario));
        NodeFaultScenario fails = Fault(NodeFault::switch_fails, 10 * US, 100 * US, 0, 0);
        fails.switch_ = frames.at("leaf0>spine0") > 0 ? "spine0" : "spine1";
        scenario.faults.nodes = {fails};
        const InaRunResult result = RunAlone(scenario);
        EXPECT_EQ(result.jobs[0].status, JobStatus::finished);
        EXPECT_EQ(result.jobs[0].registrations, 2U);
        fails.switch_ = fails.switch_ == "spine0" ? "spine1" : "spine0";
        scenario.faults.nodes = {fails};
        EXPECT_EQ(RunAlone(scenario).jobs[0].registrations, 1U);
    }
}

TEST_P(SpineRootTest, GoesOnWhereItsRootReboots)
{
    Scenario scenario = Make(RootChoice::spine);
    const auto frames = FramesByLink(RunAlone(scenario));
    NodeFaultScenario reboots = Fault(NodeFault::switch_reboots, 10 * US, 50 * US, 0, 0);
    reboots.switch_ = frames.at("leaf0>spine0") > 0 ? "spine0" : "spine1";
    scenario.faults.nodes = {reboots};
    const InaRunResult result = RunAlone(scenario);
    EXPECT_GT(result.framesWhileDown, 0U);
    EXPECT_EQ(result.jobs[0].status, JobStatus::finished);
    scenario.faults.nodes[0].switch_ = reboots.switch_ == "spine0" ? "spine1" : "spine0";
    EXPECT_EQ(RunAlone(scenario).framesWhileDown, 0U);
}

/** Runs four jobs over the same racks. */
TEST_P(SpineRootTest, LeastLoadedSpreadsJobsOverTheSpinesEvenly)
{
    Scenario scenario = Make(RootChoice::least_loaded);
    scenario.topology.parameter_servers = 4;
    scenario.jobs.resize(4, scenario.jobs.front());
    for (uint32_t job = 0; job < 4; ++job)
    {
        scenario.jobs[job].workers = 2;
        scenario.jobs[job].hosts = {job % 2, 2 + job % 2};
    }
    const auto frames = FramesByLink(RunAlone(scenario));
    EXPECT_EQ(frames.at("leaf0>spine0"), frames.at("leaf0>spine1"));
    EXPECT_EQ(frames.at("leaf0>spine0"), frames.at("host0>leaf0"));
}

} // namespace
} // namespace ns3
