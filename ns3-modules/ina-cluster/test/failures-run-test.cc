/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

/** Permanent failures of links and switches under every system. Run() verifies every sum, that no
 * switch holds an aggregator, and the balance of every link. */
#include "cluster-test-support.h"

#include <string>
#include <vector>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

using ina::cluster::JobStatus;
using ina::faults::NodeFault;

class FailuresRunTest : public testing::TestWithParam<System>
{
  protected:
    /** A job of eight workers in two racks and one of three in the last rack, under two spines. */
    static Scenario
    Make()
    {
        Scenario scenario = MakeScenario(GetParam(), 8, {MakeLayer(300, 20 * US, 20 * US)});
        scenario.topology.type = TopologyType::leaf_spine;
        scenario.topology.racks = 3;
        scenario.topology.hosts_per_rack = 4;
        scenario.topology.spines = 2;
        scenario.topology.parameter_servers = 2;
        scenario.topology.root = ina::cluster::RootChoice::server_leaf;
        scenario.jobs[0].iterations = 3;
        scenario.jobs.push_back(scenario.jobs[0]);
        scenario.jobs[1].workers = 3;
        return scenario;
    }

    static NodeFaultScenario
    SwitchFails(const std::string& name, int64_t at, int64_t duration)
    {
        NodeFaultScenario fault = Fault(NodeFault::switch_fails, at, duration, 0, 0);
        fault.switch_ = name;
        return fault;
    }

    static NodeFaultScenario
    LinkFails(const std::string& name, int64_t at, int64_t duration)
    {
        NodeFaultScenario fault = Fault(NodeFault::link_fails, at, duration, 0, 0);
        fault.link = name;
        return fault;
    }

    /** The spine that carries most or all frames of rack 0. */
    static std::string
    BusySpine()
    {
        auto frames = FramesByLink(RunAlone(Make()));
        return frames["leaf0>spine0"] > frames["leaf0>spine1"] ? "spine0" : "spine1";
    }

    static InaRunResult
    RunWith(const std::vector<NodeFaultScenario>& faults)
    {
        Scenario scenario = Make();
        scenario.faults.nodes = faults;
        return RunAlone(scenario);
    }

    static uint32_t
    RegistrationsOfAJobWithATree()
    {
        return ina::cluster::traits_of(GetParam()).has_aggregators ? 2 : 1;
    }

    /** Minimum number of frames on the other path. Systems among workers send fewer but larger
     * ones. */
    static uint64_t
    FramesOfTheRest()
    {
        return ina::cluster::traits_of(GetParam()).sends_among_workers() ? 150 : 300;
    }

    /** Status of jobs that need paths to the third rack, where the servers are. */
    static JobStatus
    StatusWithoutWaysToTheServers()
    {
        return ina::cluster::traits_of(GetParam()).sends_among_workers() ? JobStatus::finished
                                                                         : JobStatus::cut_off;
    }
};

INSTANTIATE_TEST_SUITE_P(Every,
                         FailuresRunTest,
                         testing::ValuesIn(ina::testing::every_system()),
                         NameOfSystem);

TEST_P(FailuresRunTest, AJobWhoseSpineFailsGoesOnByTheOtherOne)
{
    const std::string busy = BusySpine();
    const std::string other = busy == "spine0" ? "spine1" : "spine0";
    const InaRunResult result = RunWith({SwitchFails(busy, 80 * US, 300 * US)});
    EXPECT_EQ(result.jobs[0].status, JobStatus::finished);
    EXPECT_EQ(result.jobs[1].status, JobStatus::finished);
    EXPECT_EQ(result.jobs[0].registrations, RegistrationsOfAJobWithATree());
    EXPECT_EQ(result.jobs[1].registrations, 1U) << "which is in one rack";
    EXPECT_GE(FramesByLink(result)["leaf0>" + other], FramesOfTheRest());
}

TEST_P(FailuresRunTest, AJobWhoseLinkToASpineFailsGoesOnByTheOtherOne)
{
    const std::string busy = BusySpine();
    const InaRunResult result = RunWith({LinkFails("leaf0-" + busy, 80 * US, 300 * US)});
    EXPECT_EQ(result.jobs[0].status, JobStatus::finished);
    EXPECT_EQ(result.jobs[0].registrations, RegistrationsOfAJobWithATree());
    const std::string other = busy == "spine0" ? "spine1" : "spine0";
    EXPECT_GE(FramesByLink(result)["leaf0>" + other], FramesOfTheRest());
}

/** The path via spine1, the rack in between and spine0 is not allowed, since that rack's switch
 * would aggregate frames of its own workers. */
TEST_P(FailuresRunTest, AJobIsCutOffIfAllWaysLeadThroughAnotherRack)
{
    const InaRunResult result = RunWith(
        {LinkFails("leaf0-spine0", 80 * US, 10 * US), LinkFails("leaf2-spine1", 80 * US, 10 * US)});
    EXPECT_EQ(result.jobs[0].status, StatusWithoutWaysToTheServers());
    EXPECT_EQ(result.jobs[1].status, JobStatus::finished);
}

TEST_P(FailuresRunTest, EveryoneOnAHostIsCutOffWithItsLink)
{
    Scenario scenario = MakeScenario(GetParam(), 2, {MakeLayer(300, 20 * US, 20 * US)});
    scenario.topology.hosts = 3;
    scenario.topology.parameter_servers = 2;
    scenario.jobs[0].hosts = {0, 1};
    scenario.jobs.push_back(scenario.jobs[0]);
    scenario.jobs.push_back(scenario.jobs[0]);
    scenario.jobs[2].hosts = {2, 1};
    scenario.jobs[2].servers = {"ps1"};
    scenario.faults.nodes = {LinkFails("host0", 30 * US, 10 * US)};
    const InaRunResult result = RunAlone(scenario);
    EXPECT_EQ(result.jobs[0].status, JobStatus::cut_off);
    EXPECT_EQ(result.jobs[1].status, JobStatus::cut_off);
    EXPECT_EQ(result.jobs[2].status, JobStatus::finished);
}

TEST_P(FailuresRunTest, AJobIsCutOffWithTheSwitchOrLinkOfAHostAndTheOtherOneGoesOn)
{
    for (const NodeFaultScenario& fault :
         {SwitchFails("leaf0", 80 * US, 10 * US), LinkFails("host5", 80 * US, 10 * US)})
    {
        const InaRunResult result = RunWith({fault});
        EXPECT_EQ(result.jobs[0].status, JobStatus::cut_off);
        EXPECT_EQ(result.jobs[0].end, 90 * US);
        EXPECT_EQ(result.jobs[1].status, JobStatus::finished);
    }
}

TEST_P(FailuresRunTest, NothingIsLeftOfWhateverFailsWhenever)
{
    for (int64_t at = 0; at <= 150; at += 15)
    {
        const InaRunResult result = RunWith({LinkFails("leaf1-spine0", at * US, 20 * US),
                                             SwitchFails("spine0", (at + 40) * US, 0),
                                             LinkFails("leaf0-spine1", (at + 90) * US, 5 * US)});
        // The last failure hits the only remaining path.
        EXPECT_NE(result.jobs[0].status, JobStatus::running);
        EXPECT_EQ(result.jobs[1].status, JobStatus::finished);
    }
}

TEST_P(FailuresRunTest, ServersThatAreCutOffTakeAllWithThemThatNeedThem)
{
    const InaRunResult result = RunWith({SwitchFails("leaf2", 80 * US, 10 * US)});
    EXPECT_EQ(result.jobs[0].status, StatusWithoutWaysToTheServers());
    EXPECT_EQ(result.jobs[1].status, JobStatus::cut_off) << "which is in that rack";
}

TEST_P(FailuresRunTest, InAFatTreeEverySumIsExactWhicheverSwitchAboveTheRacksFails)
{
    for (const char* name : {"aggregation0", "aggregation1", "aggregation7", "core0", "core3"})
    {
        Scenario scenario = Make();
        scenario.topology.type = TopologyType::fat_tree;
        scenario.topology.k = 4;
        scenario.faults.links = {Losses("all")};
        scenario.faults.nodes = {SwitchFails(name, 50 * US, 30 * US)};
        for (const JobRow& job : RunAlone(scenario).jobs)
        {
            EXPECT_EQ(job.status, JobStatus::finished) << name;
        }
    }
}

/** The first job is in one rack with its server, the second one in the two others. */
Scenario
MakeApart(System system)
{
    Scenario scenario = MakeScenario(system, 3, {MakeLayer(300, 20 * US, 20 * US)});
    scenario.topology.type = TopologyType::leaf_spine;
    scenario.topology.racks = 3;
    scenario.topology.hosts_per_rack = 4;
    scenario.topology.spines = 2;
    scenario.topology.parameter_servers = 2;
    scenario.jobs[0].iterations = 3;
    scenario.jobs.push_back(scenario.jobs[0]);
    scenario.jobs[0].hosts = {0, 1, 2};
    scenario.jobs[0].servers = {"host3"};
    scenario.jobs[1].hosts = {4, 5, 8};
    return scenario;
}

/** One fault of each kind, none at an element that frames of the first job may use. */
std::vector<NodeFaultScenario>
FaultsElsewhere(System system)
{
    std::vector<NodeFaultScenario> faults;
    for (std::size_t kind = 0; kind < ina::faults::kNodeFaultNames.size(); ++kind)
    {
        const auto fault = static_cast<NodeFault>(kind);
        if (ina::faults::strikes_server(fault) && !ina::cluster::traits_of(system).has_servers)
        {
            continue;
        }
        faults.push_back(Fault(fault, 60 * US, 50 * US, 1, 0));
        faults.back().switch_ = ina::faults::strikes_job(fault) ? kNone : "spine0";
        faults.back().link = fault == NodeFault::link_fails ? "leaf1-spine0" : kNone;
    }
    return faults;
}

TEST_P(FailuresRunTest, AJobNoticesNoFaultOfAnyKindWhereItsFramesCannotPass)
{
    Scenario scenario = MakeApart(GetParam());
    const JobRow undisturbed = RunAlone(scenario).jobs[0];
    for (const NodeFaultScenario& fault : FaultsElsewhere(GetParam()))
    {
        scenario.faults.nodes = {fault};
        const JobRow job = RunAlone(scenario).jobs[0];
        const char* name = ina::faults::name_of(fault.fault);
        EXPECT_EQ(job.registrations, 1U) << name;
        EXPECT_EQ(job.end, undisturbed.end) << name;
        EXPECT_EQ(job.packets_sent, undisturbed.packets_sent) << name;
    }
}

/** With three spines, selecting among the remaining ones would give another tree. */
TEST_P(FailuresRunTest, AJobKeepsItsTreeIfALinkOrASwitchFailsThatItDoesNotUse)
{
    if (!ina::cluster::traits_of(GetParam()).has_aggregators)
    {
        GTEST_SKIP() << "flows may use every link";
    }
    Scenario scenario = Make();
    scenario.topology.spines = 3;
    const InaRunResult undisturbed = RunAlone(scenario);
    auto frames = FramesByLink(undisturbed);
    std::vector<NodeFaultScenario> faults;
    for (const std::string spine : {"spine0", "spine1", "spine2"})
    {
        if (frames["leaf0>" + spine] == 0)
        {
            faults.push_back(LinkFails("leaf0-" + spine, 60 * US, 20 * US));
        }
        if (frames["leaf0>" + spine] + frames["leaf1>" + spine] == 0)
        {
            faults.push_back(SwitchFails(spine, 60 * US, 20 * US));
        }
    }
    EXPECT_EQ(faults.size(), 3U) << "two links and a spine";
    for (const NodeFaultScenario& fault : faults)
    {
        scenario.faults.nodes = {fault};
        const InaRunResult result = RunAlone(scenario);
        EXPECT_EQ(result.jobs[0].registrations, 1U) << fault.link << fault.switch_;
        EXPECT_EQ(result.jobs[0].end, undisturbed.jobs[0].end) << fault.link << fault.switch_;
    }
}

TEST_P(FailuresRunTest, BothEnginesAgree)
{
    Scenario scenario = Make();
    scenario.faults.links = {Losses("all")};
    scenario.faults.nodes = {LinkFails("leaf0-spine0", 30 * US, 20 * US),
                             SwitchFails("spine1", 100 * US, 50 * US)};
    scenario.topology.spines = 3;
    ExpectBothEnginesAgree(scenario);
}

} // namespace
} // namespace ns3
