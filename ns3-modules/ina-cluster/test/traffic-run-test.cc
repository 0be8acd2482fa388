/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

/** Jobs with background traffic. Run() verifies every sum and accounts for every packet. */
#include "cluster-test-support.h"

#include "tests/support/every_system.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

using namespace ina::scenarios;

namespace
{

constexpr uint64_t RATE_BPS = 10'000'000'000;
// SwitchML's slots. With this number, its round trip on these links stays below its timeout.
constexpr uint32_t SLOTS = 512;
constexpr double PS_PER_S = 1e12;
constexpr double BITS = 8;

FlowsScenario
Bulk(const std::string& from, const std::string& to, uint64_t bytes = 0)
{
    FlowsScenario flows;
    flows.kind = PatternKind::bulk;
    flows.from = {from};
    flows.to = to;
    flows.bytes = bytes;
    return flows;
}

/** A job of four workers and one iteration of `fragments` fragments, on links of 10 Gbps. */
Scenario
MakeJob(System system, uint64_t fragments, int64_t backward = 0)
{
    Scenario scenario = MakeScenario(system, 4, {MakeLayer(fragments, 0, backward)});
    scenario.topology.link.rate_bps = RATE_BPS;
    scenario.of<ina::systems::Switchml>().slots = SLOTS;
    return scenario;
}

double
Share(uint64_t bytes, int64_t ps)
{
    return static_cast<double>(bytes) * BITS * PS_PER_S /
           (static_cast<double>(ps) * static_cast<double>(RATE_BPS));
}

template <class Links>
const auto&
Find(const Links& links, const std::string& name)
{
    return *std::ranges::find(links, name, [](const auto& link) { return link.link; });
}

using SystemAndModel = std::tuple<System, TrafficModel>;

std::string
NameOfBoth(const testing::TestParamInfo<SystemAndModel>& info)
{
    const auto& [system, model] = info.param;
    return NameOfSystem({system, info.index}) + "_" +
           std::string(kTrafficModelNames[static_cast<std::size_t>(model)]);
}

class TrafficOfSystem : public testing::TestWithParam<SystemAndModel>
{
  protected:
    System
    GetSystem() const
    {
        return std::get<System>(GetParam());
    }

    void
    SetModel(Scenario& scenario) const
    {
        scenario.traffic.model = std::get<TrafficModel>(GetParam());
    }
};

const auto BOTH_MODELS = testing::Values(TrafficModel::flows, TrafficModel::ns3);

INSTANTIATE_TEST_SUITE_P(Systems,
                         TrafficOfSystem,
                         testing::Combine(testing::Values(system_called("switchml"),
                                                          system_called("atp"),
                                                          system_called("dsa")),
                                          BOTH_MODELS),
                         NameOfBoth);

class TrafficOfEverySystem : public TrafficOfSystem
{
};

INSTANTIATE_TEST_SUITE_P(Systems,
                         TrafficOfEverySystem,
                         testing::Combine(testing::ValuesIn(ina::testing::every_system()),
                                          BOTH_MODELS),
                         NameOfBoth);

// ATP's figure 14b: a job that could fill the worker's link gets about its fair share, and the sum
// is close to the line rate.
TEST_P(TrafficOfSystem, ShareAWorkersLinkFairly)
{
    Scenario scenario = MakeJob(GetSystem(), 50000);
    SetModel(scenario);
    scenario.traffic.flows = {Bulk("host0", "host1")};
    const InaRunResult result = RunAlone(scenario);
    const double job =
        Share(Find(result.links, "host0>switch").bytes_sent, result.simulatedTime.GetTimeStep());
    const double flow =
        Share(Find(result.packets, "host0>switch").bytes_sent, result.simulatedTime.GetTimeStep());
    RecordProperty("job", std::to_string(job));
    RecordProperty("flow", std::to_string(flow));
    EXPECT_GT(job + flow, 0.95);
    EXPECT_NEAR(job, 0.5, 0.1);
    EXPECT_NEAR(flow, 0.5, 0.1);
}

// ATP's figure 14a: a job that needs less than its share gets what it needs.
TEST_P(TrafficOfSystem, LeaveAJobWhatIsLessThanItsShare)
{
    constexpr int LAYERS = 10;
    constexpr uint64_t FRAGMENTS = 800;
    constexpr int64_t BACKWARD = 1200 * US; // in addition to 0.2 ms on the line
    Scenario scenario = MakeJob(GetSystem(), FRAGMENTS, BACKWARD);
    SetModel(scenario);
    scenario.jobs[0].profile.layers.assign(LAYERS, MakeLayer(FRAGMENTS, 0, BACKWARD));
    const int64_t alone = RunAlone(scenario).simulatedTime.GetTimeStep();
    scenario.traffic.flows = {Bulk("host0", "host1")};
    const InaRunResult result = RunAlone(scenario);
    // If one more task is split, its worker waits for a reminder.
    const int64_t reminder = GetSystem() == system_called("dsa") ? 1000 * US : 0;
    EXPECT_LT(static_cast<double>(result.simulatedTime.GetTimeStep()),
              1.05 * static_cast<double>(alone) + static_cast<double>(reminder));
    EXPECT_GT(
        Share(Find(result.packets, "host0>switch").bytes_sent, result.simulatedTime.GetTimeStep()),
        0.75);
}

TEST_P(TrafficOfSystem, OfOthersDoNotChangeAJob)
{
    Scenario scenario = MakeJob(GetSystem(), 2000);
    SetModel(scenario);
    scenario.topology.hosts = 6;
    const InaRunResult alone = RunAlone(scenario);
    scenario.traffic.flows = {Bulk("host4", "host5")};
    const InaRunResult beside = RunAlone(scenario);
    EXPECT_EQ(beside.simulatedTime.GetTimeStep(), alone.simulatedTime.GetTimeStep());
    EXPECT_GT(beside.flows[0].bytes_received, 0U);
    for (const LinkRow& link : alone.links)
    {
        EXPECT_EQ(Find(beside.links, link.link).frames_sent, link.frames_sent);
    }
}

/** Two flows of 1 MB on links of 10 Gbps that start long after a short job. */
Scenario
MakeLateFlows()
{
    Scenario scenario = MakeJob(system_called("dsa"), 10);
    scenario.traffic.flows = {Bulk("host1", "host0", 1'000'000), Bulk("host2", "host3", 1'000'000)};
    scenario.traffic.flows[0].start_ps = scenario.traffic.flows[1].start_ps = 20'000 * US;
    return scenario;
}

TEST(Traffic, FlowsThatStartAfterTheLastJobAreCounted)
{
    Scenario scenario = MakeLateFlows();
    scenario.traffic.flows[0].start_ps = 0;
    const InaRunResult result = RunAlone(scenario);
    EXPECT_EQ(result.patternsWithoutAFlow, 1U);
    EXPECT_EQ(result.flows.size(), 1U);
}

TEST(Traffic, ARunGoesOnUntilTheLaterOfItsLastJobAndItsEnd)
{
    Scenario scenario = MakeLateFlows();
    scenario.traffic.until_ps = 30'000 * US;
    const InaRunResult result = RunAlone(scenario);
    EXPECT_EQ(result.simulatedTime.GetTimeStep(), 30'000 * US);
    EXPECT_EQ(result.patternsWithoutAFlow, 0U);
    ASSERT_EQ(result.flows.size(), 2U);
    EXPECT_TRUE(result.flows[0].completion && result.flows[1].completion);
    scenario.traffic.until_ps = 1;
    EXPECT_EQ(RunAlone(scenario).simulatedTime.GetTimeStep(), result.jobs.front().end);
}

TEST(Traffic, NeedsNoJobs)
{
    Scenario scenario = MakeLateFlows();
    scenario.jobs.clear();
    scenario.traffic.until_ps = 20'500 * US; // half of the time that the flows need
    for (const Engine engine : {Engine::fast, Engine::reference})
    {
        scenario.engine = engine;
        const InaRunResult result = RunAlone(scenario);
        EXPECT_EQ(result.simulatedTime.GetTimeStep(), 20'500 * US);
        EXPECT_TRUE(result.samples.empty());
        ASSERT_EQ(result.flows.size(), 2U);
        EXPECT_GT(result.flows[0].bytes_received, 100'000U);
        EXPECT_LT(result.flows[0].bytes_received, 1'000'000U);
    }
}

/** All kinds of traffic between two racks. */
Scenario
MakeAllKinds(System system)
{
    Scenario scenario = MakeJob(system, 5000);
    scenario.topology.type = TopologyType::leaf_spine;
    scenario.topology.racks = 2;
    scenario.topology.hosts_per_rack = 3;
    scenario.topology.uplink.rate_bps = RATE_BPS;
    FlowsScenario onOff = Bulk("host2", "host4");
    onOff.kind = PatternKind::on_off;
    onOff.rate_bps = RATE_BPS / 10;
    onOff.on_ps = 100 * US;
    onOff.off_ps = 100 * US;
    FlowsScenario incast = Bulk("host3", "host0", 20000);
    incast.kind = PatternKind::incast;
    incast.from = {"host3", "host4", "host5"};
    incast.interval_ps = 1000 * US;
    FlowsScenario arrivals;
    arrivals.kind = PatternKind::arrivals;
    arrivals.load = 0.1;
    arrivals.size_points = {{1000, 0}, {100000, 1}};
    scenario.traffic.flows = {Bulk("host1", "host4"), onOff, incast, arrivals};
    return scenario;
}

std::vector<std::string>
Lines(const InaRunResult& result)
{
    std::vector<std::string> lines;
    for (const FlowRow& flow : result.flows)
    {
        lines.push_back(flow.kind + " " + flow.from + " " + flow.to + " " +
                        std::to_string(flow.bytes.value_or(0)) + " " +
                        std::to_string(flow.bytes_received) + " " +
                        std::to_string(flow.last_received.value_or(0)) + " " +
                        std::to_string(flow.completion.value_or(-1)));
    }
    return lines;
}

TEST_P(TrafficOfEverySystem, IsTheSameUnderBothEngines)
{
    Scenario scenario = MakeAllKinds(GetSystem());
    SetModel(scenario);
    scenario.faults.links = {Losses("host1")};
    ExpectBothEnginesAgree(scenario);
    const InaRunResult fast = RunAlone(scenario);
    scenario.engine = Engine::reference;
    const InaRunResult reference = RunAlone(scenario);
    EXPECT_EQ(Lines(fast), Lines(reference));
    EXPECT_GT(fast.flows.size(), 10U);
    EXPECT_EQ(fast.simulatedTime.GetTimeStep(), reference.simulatedTime.GetTimeStep());
}

TEST_P(TrafficOfEverySystem, SurvivesLossesAsTheJobDoes)
{
    Scenario scenario = MakeAllKinds(GetSystem());
    SetModel(scenario);
    scenario.traffic.flows[0].bytes = 100000;
    scenario.faults.links = {Losses("all")};
    scenario.faults.links[0].duplication = 0.01;
    const InaRunResult result = RunAlone(scenario);
    EXPECT_EQ(result.flows[0].kind, "bulk");
    EXPECT_TRUE(result.flows[0].completion) << "TCP sent again what was lost";
    const auto lost = [](uint64_t sum, const PacketRow& link) { return sum + link.lost; };
    EXPECT_GT(std::accumulate(result.packets.begin(), result.packets.end(), uint64_t{0}, lost), 0U);
}

TEST(TrafficRun, EndsWithTheLastJob)
{
    Scenario scenario = MakeJob(system_called("atp"), 2000);
    scenario.traffic.flows = {Bulk("host0", "host1")};
    const InaRunResult result = RunAlone(scenario);
    EXPECT_EQ(result.simulatedTime.GetTimeStep(), result.jobs[0].end);
    EXPECT_LE(*result.flows[0].last_received, result.simulatedTime.GetTimeStep());
    EXPECT_FALSE(result.flows[0].completion);
}

TEST(TrafficRun, OfASizeCompletes)
{
    constexpr uint64_t BYTES = 1'000'000;
    Scenario scenario = MakeJob(system_called("atp"), 1000, 10000 * US);
    scenario.traffic.flows = {Bulk("host0", "host1", BYTES)};
    scenario.traffic.flows[0].start_ps = 100 * US;
    const FlowRow flow = RunAlone(scenario).flows.at(0);
    EXPECT_EQ(flow.bytes_received, BYTES);
    ASSERT_TRUE(flow.completion);
    const double line = static_cast<double>(BYTES) * BITS * PS_PER_S / RATE_BPS;
    const auto took = static_cast<double>(*flow.completion);
    EXPECT_GT(took, line);
    EXPECT_LT(took, 1.3 * line);
}

TEST(TrafficRun, MayHaveMoreFlowsThanAHostHasPorts)
{
    constexpr uint64_t FLOWS = 17000; // for 16384 source ports
    Scenario scenario = MakeJob(system_called("atp"), 10);
    scenario.traffic.flows = {Bulk("host0", "host1")};
    FlowsScenario& flows = scenario.traffic.flows[0];
    flows.kind = PatternKind::incast;
    flows.bytes = 1000;
    flows.interval_ps = 2 * US;
    const int64_t start = static_cast<int64_t>(FLOWS) * flows.interval_ps;
    scenario.jobs[0].start = {start, start};
    const InaRunResult result = RunAlone(scenario);
    EXPECT_GT(result.flows.size(), FLOWS);
    EXPECT_TRUE(result.flows[FLOWS - 10].completion);
}

TEST(TrafficRun, OfUdpHasItsRateWhileItIsOn)
{
    constexpr int64_t DURATION = 10000 * US;
    Scenario scenario = MakeJob(system_called("switchml"), 100, DURATION);
    FlowsScenario onOff = Bulk("host0", "host1");
    onOff.kind = PatternKind::on_off;
    onOff.rate_bps = RATE_BPS / 10;
    onOff.on_ps = 300 * US;
    onOff.off_ps = 700 * US;
    scenario.traffic.flows = {onOff};
    const InaRunResult result = RunAlone(scenario);
    const auto expected =
        static_cast<double>(onOff.rate_bps) / BITS * static_cast<double>(DURATION) / PS_PER_S * 0.3;
    EXPECT_NEAR(static_cast<double>(result.flows[0].bytes_received), expected, 0.02 * expected);
}

TEST(TrafficRun, OfUdpBeginsToSendAtOnce)
{
    constexpr int64_t DURATION = 10000 * US;
    Scenario scenario = MakeJob(system_called("switchml"), 100, DURATION);
    FlowsScenario onOff = Bulk("host0", "host1");
    onOff.kind = PatternKind::on_off;
    onOff.rate_bps = RATE_BPS / 10;
    onOff.start_ps = 500 * US;
    onOff.on_ps = 3000 * US;
    onOff.off_ps = 2 * DURATION;
    scenario.traffic.flows = {onOff};
    const FlowRow flow = RunAlone(scenario).flows.at(0);
    const auto bytes = static_cast<uint64_t>(static_cast<double>(onOff.rate_bps) / BITS *
                                             static_cast<double>(onOff.on_ps) / PS_PER_S);
    EXPECT_EQ(flow.bytes_received, bytes / onOff.packet_bytes * onOff.packet_bytes);
    EXPECT_LT(*flow.last_received, onOff.start_ps + onOff.on_ps + 10 * US);
}

/** Two flows that share a switch port, with the longest queue that DCTCP allows. */
uint64_t
MarksUnder(TcpControl control, TrafficModel model)
{
    Scenario scenario = MakeJob(system_called("switchml"), 100, 5000 * US);
    scenario.traffic.model = model;
    scenario.traffic.flows = {Bulk("host0", "host2"), Bulk("host1", "host2")};
    scenario.traffic.congestion_control = control;
    const InaRunResult result = RunAlone(scenario);
    EXPECT_GT(
        Share(Find(result.packets, "switch>host2").bytes_sent, result.simulatedTime.GetTimeStep()),
        0.9);
    return Find(result.packets, "switch>host2").marked;
}

TEST(TrafficRun, IsMarkedWhereItCanBe)
{
    for (const TrafficModel model : {TrafficModel::flows, TrafficModel::ns3})
    {
        EXPECT_GT(MarksUnder(TcpControl::dctcp, model), 0U);
        EXPECT_EQ(MarksUnder(TcpControl::cubic, model), 0U);
    }
}

class TrafficUnder : public testing::TestWithParam<TcpControl>
{
};

std::vector<TcpControl>
EveryControl()
{
    std::vector<TcpControl> all(kTcpControls.size());
    std::ranges::generate(all, [next = 0]() mutable { return static_cast<TcpControl>(next++); });
    return all;
}

INSTANTIATE_TEST_SUITE_P(Controls,
                         TrafficUnder,
                         testing::ValuesIn(EveryControl()),
                         [](const auto& info) { return std::string(names_of(info.param).name); });

TEST_P(TrafficUnder, Completes)
{
    Scenario scenario = MakeJob(system_called("atp"), 1000, 20000 * US);
    scenario.traffic.flows = {Bulk("host0", "host2", 100'000), Bulk("host1", "host2", 100'000)};
    scenario.traffic.congestion_control = GetParam();
    for (const TrafficModel model : {TrafficModel::flows, TrafficModel::ns3})
    {
        if (model == TrafficModel::flows && !flow_control(GetParam()))
        {
            continue;
        }
        scenario.traffic.model = model;
        for (const FlowRow& flow : RunAlone(scenario).flows)
        {
            EXPECT_TRUE(flow.completion) << flow.from;
        }
    }
}

TEST(TrafficRun, GoesRoundALinkThatFails)
{
    Scenario scenario = MakeAllKinds(system_called("atp"));
    scenario.topology.root = ina::cluster::RootChoice::spine;
    scenario.traffic.flows.clear();
    for (const char* from : {"host0", "host1", "host2"})
    {
        for (const char* to : {"host3", "host4", "host5"})
        {
            scenario.traffic.flows.push_back(Bulk(from, to, 500'000));
        }
    }
    NodeFaultScenario fault = Fault(ina::faults::NodeFault::link_fails, 500 * US, 500 * US, 0, 0);
    fault.link = "leaf0-spine1";
    scenario.faults.nodes = {fault};
    scenario.jobs[0].iterations = 4;
    const InaRunResult result = RunAlone(scenario);
    for (const FlowRow& flow : result.flows)
    {
        EXPECT_TRUE(flow.completion) << flow.from << " to " << flow.to;
    }
    EXPECT_GT(Find(result.packets, "leaf0>spine1").lost, 0U);
}

// Both models simulate the same flows. Their sizes are those of web search, cut at 1 MB.
TEST(TrafficRun, TakesAsLongAsWithTcpOfNs3)
{
    Scenario scenario = MakeLateFlows();
    scenario.jobs.clear();
    scenario.topology.hosts = 8;
    scenario.traffic.until_ps = 300'000 * US;
    FlowsScenario arrivals;
    arrivals.kind = PatternKind::arrivals;
    arrivals.load = 0.3;
    arrivals.size_points = {{1000, 0}, {10'000, 0.5}, {1'000'000, 1}};
    scenario.traffic.flows = {arrivals};
    std::map<TrafficModel, double> means;
    for (const TrafficModel model : {TrafficModel::flows, TrafficModel::ns3})
    {
        scenario.traffic.model = model;
        const InaRunResult result = RunAlone(scenario);
        std::vector<double> times;
        for (const FlowRow& flow : result.flows)
        {
            if (flow.completion && flow.start < 250'000 * US)
            {
                times.push_back(static_cast<double>(*flow.completion));
            }
        }
        EXPECT_GT(times.size(), 2000U);
        means[model] =
            std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
    }
    EXPECT_NEAR(means[TrafficModel::flows] / means[TrafficModel::ns3], 1, 0.1);
}

TEST(TrafficRun, ArrivesBySeed)
{
    Scenario scenario = MakeAllKinds(system_called("switchml"));
    const std::vector<std::string> first = Lines(RunAlone(scenario));
    EXPECT_EQ(Lines(RunAlone(scenario)), first);
    scenario.seed = 2;
    EXPECT_NE(Lines(RunAlone(scenario)), first);
}

} // namespace
} // namespace ns3
