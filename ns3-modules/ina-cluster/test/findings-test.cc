/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

/** Findings of a run: each appears above its threshold and not below, and clean runs have none. */
#include "cluster-test-support.h"

#include "ns3/ina-findings.h"
#include "scenarios/resolve/sizes.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace ns3
{

using namespace ina::scenarios;

namespace
{

using Thresholds = InaFindingThresholds;
using ina::cluster::JctBreakdown;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr uint64_t PACKETS = 100'000;
constexpr int64_t JCT = 1'000'000 * US;
constexpr double JUST = 1.01; // just above or below a threshold when multiplied or divided by it

/** One job on a star, where 1 ms, the usual timeout floor, is 99 round trips. */
Scenario
MakeStar(System system)
{
    return WithSizes(MakeScenario(system, 4, {MakeLayer(100, 0, 0)}));
}

/** One job that waited only for queues. */
InaRunResult
MakeResult()
{
    InaRunResult result;
    result.simulatedTime = PicoSeconds(JCT);
    result.jobs.emplace_back().packets_sent = PACKETS;
    result.breakdowns.emplace_back().queueing = JCT;
    result.links.resize(2);
    result.links[0].link = "host0>switch";
    result.links[1].link = "switch>host0";
    return result;
}

/** Sets the share of a part in the JCT of a job. */
void
SetShare(JctBreakdown& breakdown, int64_t JctBreakdown::*part, double share)
{
    breakdown = {};
    breakdown.*part = static_cast<int64_t>(share * JCT);
    breakdown.queueing = JCT - breakdown.*part;
}

InaRunResult
MakeResultWith(int64_t JctBreakdown::*part, double share)
{
    InaRunResult result = MakeResult();
    SetShare(result.breakdowns[0], part, share);
    return result;
}

InaRunResult
MakeResent(double share)
{
    InaRunResult result = MakeResult();
    result.jobs[0].retransmissions = static_cast<uint64_t>(share * PACKETS);
    return result;
}

auto
IsFinding(const std::string& what, const std::string& key, const std::string& text)
{
    return AllOf(Field(&InaFinding::what, what),
                 Field(&InaFinding::key, key),
                 Field(&InaFinding::text, HasSubstr(text)));
}

/// Findings of a run. Does not call resolve(), which would reject values that only findings read.
std::vector<InaFinding>
FindingsOf(const Scenario& scenario, const InaRunResult& result)
{
    Network network(scenario.topology, scenario.seed);
    const Resolved resolved{.scenario = scenario,
                            .network = std::move(network),
                            .placements = {},
                            .spec = {},
                            .partition_numbers = {},
                            .carried_values = 0,
                            .time_limit_ps = 0,
                            .traffic = {},
                            .traffic_machines = {}};
    return InaFindingsOf(resolved, result);
}

class FindingsOfSystem : public testing::TestWithParam<System>
{
};

INSTANTIATE_TEST_SUITE_P(Every,
                         FindingsOfSystem,
                         testing::ValuesIn(ina::testing::every_system()),
                         NameOfSystem);

TEST_P(FindingsOfSystem, AreNoneOfARunThatSentOncePerPacketAndHadNoLoss)
{
    EXPECT_THAT(FindingsOf(MakeStar(GetParam()), MakeResult()), IsEmpty());
}

TEST_P(FindingsOfSystem, NameAKeyOfTheSystemForTimeouts)
{
    const std::string folder = "/" + std::string(ina::cluster::name_of(GetParam())) + "/";
    const auto findings = FindingsOf(MakeStar(GetParam()), MakeResent(0.5));
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_THAT(findings[0].key, testing::StartsWith(folder));
    EXPECT_THAT(findings[0].text, HasSubstr(findings[0].key));
}

TEST_P(FindingsOfSystem, AreNoneOfOneTensorAloneOnAStar)
{
    const Scenario scenario = WithSizes(MakeOneTensor(GetParam(), 4, 20'000, 32));
    EXPECT_THAT(FindingsOf(scenario, RunAlone(scenario)), IsEmpty());
}

TEST(Findings, ArePacketsResentWithoutLossAboveTheThreshold)
{
    const Scenario scenario = MakeStar(system_called("switchml"));
    EXPECT_THAT(FindingsOf(scenario, MakeResent(Thresholds::RESENT * JUST)),
                ElementsAre(IsFinding("resent_without_loss", "/switchml/rto", "although none")));
    EXPECT_THAT(FindingsOf(scenario, MakeResent(Thresholds::RESENT / JUST)),
                Not(testing::Contains(Field(&InaFinding::what, "resent_without_loss"))));
}

TEST(Findings, AreNoPacketsResentAfterALossOrAFaultOfANode)
{
    Scenario scenario = MakeStar(system_called("switchml"));
    const auto resent = testing::Contains(Field(&InaFinding::what, "resent_without_loss"));
    for (const auto counter : {&LinkRow::dropped, &LinkRow::lost, &LinkRow::corrupted})
    {
        InaRunResult result = MakeResent(0.5);
        result.links[1].*counter = 1;
        EXPECT_THAT(FindingsOf(scenario, result), Not(resent));
    }
    EXPECT_THAT(FindingsOf(scenario, MakeResent(0.5)), resent);
    scenario.faults.nodes.resize(1);
    EXPECT_THAT(FindingsOf(scenario, MakeResent(0.5)), Not(resent));
}

TEST(Findings, AreWaitingAboveTheThreshold)
{
    const Scenario scenario = MakeStar(system_called("dsa"));
    const auto recovery = &JctBreakdown::recovery;
    const auto findings =
        FindingsOf(scenario, MakeResultWith(recovery, Thresholds::WAITING * JUST));
    EXPECT_THAT(findings,
                ElementsAre(IsFinding("waiting",
                                      "/dsa/reminder_min_timeout",
                                      "(reminder_min_timeout 1ms is 99 unloaded round trips)")));
    EXPECT_THAT(findings[0].text, EndsWith(": /dsa/reminder_min_timeout=auto"));
    EXPECT_THAT(FindingsOf(scenario, MakeResultWith(recovery, Thresholds::WAITING / JUST)),
                IsEmpty());
}

TEST(Findings, NameTheJobThatWaitsMost)
{
    InaRunResult result = MakeResult();
    result.jobs.resize(3, result.jobs[0]);
    result.breakdowns.resize(3);
    SetShare(result.breakdowns[1], &JctBreakdown::recovery, 0.25);
    SetShare(result.breakdowns[2], &JctBreakdown::recovery, 0.125);
    EXPECT_THAT(FindingsOf(MakeStar(system_called("dsa")), result),
                ElementsAre(Field(&InaFinding::text, HasSubstr("25 % of the JCT of job 1 is"))));
}

TEST(Findings, AreALongFloorThatCausedAResendAndThatNoOtherNames)
{
    Scenario scenario = MakeStar(system_called("dsa"));
    const InaRunResult resent = MakeResent(1.0 / PACKETS);
    EXPECT_THAT(
        FindingsOf(scenario, resent),
        ElementsAre(IsFinding("long_floor", "/dsa/reminder_min_timeout", "retransmitted 1 time")));
    const auto roundTrips = environment_of(scenario, Network(scenario.topology, scenario.seed))
                                .round_trips(1, scenario.hosts().frame_bytes());
    auto& dsa = scenario.of<ina::systems::Dsa>();
    dsa.worker.min_rto = dsa.server.reminder_min_timeout = 10 * roundTrips;
    EXPECT_THAT(FindingsOf(scenario, resent), IsEmpty());
    dsa.server.reminder_min_timeout += ina::Time(1);
    EXPECT_THAT(FindingsOf(scenario, resent),
                ElementsAre(Field(&InaFinding::key, "/dsa/reminder_min_timeout")));
}

TEST(Findings, NameTheWorkersFloorWhereFramesWereLostAndOtherwiseTheServers)
{
    const Scenario scenario = MakeStar(system_called("dsa"));
    InaRunResult result = MakeResultWith(&JctBreakdown::recovery, 0.5);
    EXPECT_THAT(FindingsOf(scenario, result),
                ElementsAre(Field(&InaFinding::key, "/dsa/reminder_min_timeout")));
    result.links[1].corrupted = 1;
    EXPECT_THAT(FindingsOf(scenario, result), ElementsAre(Field(&InaFinding::key, "/dsa/min_rto")));
}

TEST(Findings, AreNoWaitingWhereNothingWasLostAndNobodyAsks)
{
    const Scenario scenario = MakeStar(system_called("switchml"));
    InaRunResult result = MakeResultWith(&JctBreakdown::recovery, 0.9);
    EXPECT_THAT(FindingsOf(scenario, result), IsEmpty());
    result.links[1].corrupted = 1;
    EXPECT_THAT(FindingsOf(scenario, result), ElementsAre(Field(&InaFinding::what, "waiting")));
}

TEST(Findings, NameNoFloorLongerThanTheRun)
{
    Scenario scenario = MakeStar(system_called("dsa"));
    auto& dsa = scenario.of<ina::systems::Dsa>();
    InaRunResult result = MakeResultWith(&JctBreakdown::recovery, 0.5);
    result.simulatedTime = PicoSeconds(900 * US);
    dsa.worker.min_rto = ina::Time(50 * US);
    EXPECT_THAT(FindingsOf(scenario, result), ElementsAre(Field(&InaFinding::key, "/dsa/min_rto")));
    result.simulatedTime = PicoSeconds(dsa.server.reminder_min_timeout.count());
    EXPECT_THAT(FindingsOf(scenario, result),
                ElementsAre(Field(&InaFinding::key, "/dsa/reminder_min_timeout")));
    result.simulatedTime = PicoSeconds(40 * US);
    result.jobs[0].retransmissions = PACKETS;
    EXPECT_THAT(FindingsOf(scenario, result), IsEmpty()) << "other than time-outs recovered";
}

TEST(Findings, DoNotMentionAFloorThatIsShort)
{
    Scenario scenario = MakeStar(system_called("dsa"));
    auto& dsa = scenario.of<ina::systems::Dsa>();
    dsa.worker.min_rto = dsa.server.reminder_min_timeout = ina::Time(50 * US);
    const auto findings = FindingsOf(scenario, MakeResultWith(&JctBreakdown::recovery, 0.5));
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].text,
              "DSA: 50 % of the JCT is waiting for reminders and time-outs: "
              "/dsa/reminder_min_timeout");
}

TEST(Findings, AreWaitingForMemoryAboveTheThreshold)
{
    const auto memory = &JctBreakdown::slot_wait;
    const InaRunResult above = MakeResultWith(memory, Thresholds::MEMORY_OR_WINDOW * JUST);
    EXPECT_THAT(FindingsOf(MakeStar(system_called("switchml")), above),
                ElementsAre(IsFinding("memory", "/switchml/slots", "waiting for slots")));
    EXPECT_THAT(
        FindingsOf(MakeStar(system_called("atp")), above),
        ElementsAre(
            IsFinding("memory", "/switch/memory_bytes", "entries of its aggregator table")));
    EXPECT_THAT(FindingsOf(MakeStar(system_called("atp")),
                           MakeResultWith(memory, Thresholds::MEMORY_OR_WINDOW / JUST)),
                IsEmpty());
}

TEST(Findings, AreWaitingForTheWindowAboveTheThreshold)
{
    const auto window = &JctBreakdown::window_wait;
    InaRunResult above = MakeResultWith(window, Thresholds::MEMORY_OR_WINDOW * JUST);
    EXPECT_THAT(FindingsOf(MakeStar(system_called("ps")), above),
                ElementsAre(IsFinding("window", "/ps/initial_window_packets", "of packets")));
    above.links[1].marked = 1;
    EXPECT_THAT(FindingsOf(MakeStar(system_called("ps")), above),
                ElementsAre(IsFinding("window", "/switch/ecn_threshold_bytes", "of packets")));
    above.jobs[0].fallbacks = 1;
    EXPECT_THAT(FindingsOf(MakeStar(system_called("atp")), above),
                ElementsAre(IsFinding("window", "/switch/memory_bytes", "window of packets")));
    EXPECT_THAT(FindingsOf(MakeStar(system_called("ps")),
                           MakeResultWith(window, Thresholds::MEMORY_OR_WINDOW / JUST)),
                IsEmpty());
}

TEST(Findings, AreATableOfFewerAggregatorsThanTheWindowHasPackets)
{
    Scenario scenario = MakeOneTensor(system_called("atp"), 4, 5000, 62);
    scenario.switch_.memory_bytes = 1000;
    scenario = WithSizes(scenario);
    EXPECT_THAT(FindingsOf(scenario, RunAlone(scenario)),
                testing::Contains(IsFinding("memory", "/switch/memory_bytes", "of the JCT")));
}

TEST(Findings, AreComputationOfEveryJobAboveTheThreshold)
{
    const Scenario scenario = MakeStar(system_called("ring"));
    const auto compute = &JctBreakdown::compute;
    InaRunResult result = MakeResultWith(compute, 0.96);
    EXPECT_THAT(FindingsOf(scenario, result),
                ElementsAre(IsFinding("computation", "/jobs/profile", "96 % of the JCT")));
    result.jobs.push_back(result.jobs[0]);
    result.breakdowns.emplace_back();
    SetShare(result.breakdowns[1], compute, 0.94);
    EXPECT_THAT(FindingsOf(scenario, result), IsEmpty());
}

TEST(Findings, AreDropsAndTheLinkWithMostOfThem)
{
    InaRunResult result = MakeResult();
    result.links[0].dropped = 2;
    result.links[1].dropped = 5;
    EXPECT_THAT(FindingsOf(MakeStar(system_called("ring")), result),
                ElementsAre(IsFinding("dropped",
                                      "/switch/buffer_bytes",
                                      "7 frames found no room in the buffer of a switch, 5 of "
                                      "them on switch>host0")));
}

TEST(Findings, AreFramesThatAHostLostUnlessFaultsMayHaveTakenThem)
{
    Scenario scenario = MakeStar(system_called("ring"));
    InaRunResult result = MakeResult();
    result.links[1].lost = 1;
    EXPECT_THAT(FindingsOf(scenario, result),
                ElementsAre(IsFinding("dropped", "/topology/host", "1 frame arrived too fast")));
    result.links[0].link = "switch>ps0";
    result.links[0].lost = 2;
    EXPECT_THAT(FindingsOf(scenario, result),
                ElementsAre(IsFinding("dropped", "/topology/server", "3 frames arrived too fast")));
    scenario.faults.links = {Losses("all")};
    EXPECT_THAT(FindingsOf(scenario, result), IsEmpty());
}

/** Three racks of four workers under a spine that is as fast as the hosts' links. */
Scenario
MakeLeafSpine(System system, ina::cluster::RootChoice root)
{
    Scenario scenario = MakeOneTensor(system, 12, 500, 62);
    PutIntoRacks(scenario);
    scenario.topology.racks = 3;
    scenario.topology.hosts_per_rack = 4;
    scenario.topology.spines = 1;
    scenario.topology.root = root;
    return WithSizes(scenario);
}

TEST(Findings, AreALinkOnWhichSumsOfSeveralRacksMeet)
{
    Scenario scenario = MakeLeafSpine(system_called("atp"), ina::cluster::RootChoice::server_leaf);
    const InaRunResult result = RunAlone(scenario);
    EXPECT_THAT(FindingsOf(scenario, result),
                testing::Contains(IsFinding("shared_link",
                                            "/topology/root",
                                            "spine0>leaf2 carries 2 sums of each fragment")));
    const auto shared = Not(testing::Contains(Field(&InaFinding::what, "shared_link")));
    InaRunResult longer = result;
    longer.simulatedTime = 20 * longer.simulatedTime; // the link hardly sends in that time
    EXPECT_THAT(FindingsOf(scenario, longer), shared);
    scenario.topology.uplink.rate_bps *= 2; // enough for two sums
    EXPECT_THAT(FindingsOf(scenario, result), shared);

    const Scenario spine = MakeLeafSpine(system_called("dsa"), ina::cluster::RootChoice::spine);
    EXPECT_THAT(FindingsOf(spine, RunAlone(spine)), shared);
}

TEST(Findings, AreALinkOnWhichARacksSumMeetsTheServersResult)
{
    const Scenario scenario = MakeLeafSpine(system_called("atp"), ina::cluster::RootChoice::spine);
    EXPECT_THAT(FindingsOf(scenario, RunAlone(scenario)),
                testing::Contains(IsFinding("shared_link",
                                            "/topology/root=server_leaf",
                                            "leaf2>spine0 carries 2 sums of each fragment")));
}

/** Each pod has two racks of two workers each. Aggregation switches only forward. */
TEST(Findings, AreALinkOfAFatTreeOnWhichSumsOfAPodMeetWhicheverTheRoot)
{
    for (const System system :
         {system_called("switchml"), system_called("atp"), system_called("dsa")})
    {
        Scenario scenario = MakeOneTensor(system, 8, 500, 62);
        scenario.topology.type = TopologyType::fat_tree;
        scenario.topology.k = 4;
        scenario.topology.root = ina::cluster::RootChoice::least_loaded;
        scenario = WithSizes(scenario);
        EXPECT_THAT(
            FindingsOf(scenario, RunAlone(scenario)),
            testing::Contains(
                IsFinding("shared_link", "/topology/links", "carries 2 sums of each fragment")));
    }
}

TEST(Findings, NameALinkThatSumsShareAlsoWhereServersAreOnWorkersHosts)
{
    Scenario scenario = MakeLeafSpine(system_called("atp"), ina::cluster::RootChoice::server_leaf);
    scenario.jobs[0].servers = {"host0", "host1"};
    const InaRunResult result = RunAlone(scenario);
    ASSERT_EQ(result.sharedLinks.size(), 1U);
    EXPECT_EQ(result.sharedLinks.front().name, "spine0>leaf0");
}

TEST(Findings, AreNoSharedLinkWhereNoSwitchAddsUp)
{
    const Scenario scenario =
        MakeLeafSpine(system_called("ps"), ina::cluster::RootChoice::server_leaf);
    EXPECT_THAT(RunAlone(scenario).sharedLinks, IsEmpty());
}

TEST(Findings, AreFlowsThatNeverStarted)
{
    Scenario scenario = MakeStar(system_called("ring"));
    scenario.traffic.flows.resize(3);
    InaRunResult result = MakeResult();
    result.patternsWithoutAFlow = 2;
    result.simulatedTime = PicoSeconds(4000 * US);
    const auto findings = FindingsOf(scenario, result);
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].what, "flows_not_started");
    EXPECT_EQ(findings[0].text,
              "2 of 3 elements of /traffic/flows started no flow before the run ended at 4ms: "
              "/traffic/until");
}

/** A worker that dies and returns repeats an iteration. That is not waiting for a timeout. */
TEST(Findings, DoNotCountAnIterationThatWasBegunAnew)
{
    Scenario scenario = MakeScenario(system_called("dsa"), 2, {MakeLayer(100, 0, 100 * US)});
    scenario.faults.nodes = {
        Fault(ina::faults::NodeFault::worker_returns, 50 * US, 5'000 * US, 0, 0)};
    const InaRunResult result = RunAlone(scenario);
    ASSERT_EQ(result.iterations[0].size(), 1U);
    EXPECT_GT(result.iterations[0][0].breakdown.recovery, 0);
    EXPECT_EQ(result.breakdowns[0].sum(), 0);
}

} // namespace
} // namespace ns3
