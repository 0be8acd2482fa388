/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

/** Cost of individual link rates, link delays and packet times in hosts under every system. Run()
 * verifies every sum. */
#include "cluster-test-support.h"

#include "hw/cluster/network/host_stage.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

constexpr uint32_t WORKERS = 4;
constexpr uint32_t FRAGMENTS = 500;
constexpr int64_t PS_PER_S = 1'000'000'000'000;

OwnLinkScenario
OfRate(const char* link, uint64_t rateBps)
{
    OwnLinkScenario own;
    own.link = link;
    own.rate_bps = rateBps;
    return own;
}

OwnLinkScenario
OfDelay(const char* link, int64_t delayPs)
{
    OwnLinkScenario own;
    own.link = link;
    own.delay_ps = delayPs;
    return own;
}

/** Hosts in which packets take time, with the given number of cores. */
ina::cluster::HostStage::Config
OfPackets(int64_t perPacketPs, uint32_t cores = 1)
{
    return {.per_packet = ina::Time(perPacketPs), .cores = cores};
}

ina::cluster::HostStage::Config
OfPreset(std::string_view name)
{
    return std::ranges::find(ina::cluster::kHostPresets, name, &ina::cluster::HostPreset::name)
        ->config;
}

bool
SendsAmongWorkers(System system)
{
    return ina::cluster::traits_of(system).sends_among_workers();
}

class LinksRunTest : public testing::TestWithParam<System>
{
  protected:
    static Scenario
    Make(uint32_t fragments = FRAGMENTS)
    {
        const uint64_t values = Scenario().systems.hosts(GetParam()).values_per_packet();
        return MakeScenario(GetParam(), WORKERS, {MakeLayer(fragments, 0, 0, values)});
    }

    static int64_t
    JctPs(const Scenario& scenario)
    {
        const JobRow job = RunAlone(scenario).jobs.at(0);
        return *job.end - *job.start;
    }
};

INSTANTIATE_TEST_SUITE_P(Every,
                         LinksRunTest,
                         testing::ValuesIn(ina::testing::every_system()),
                         NameOfSystem);

TEST_P(LinksRunTest, AJobTakesAsLongAsTheLinkOfItsSlowestWorker)
{
    Scenario scenario = Make();
    const int64_t before = JctPs(scenario);
    scenario.topology.links = {OfRate("host2", 4'000'000'000)};
    const int64_t frames = FRAGMENTS * int64_t{scenario.hosts().frame_bytes()};
    const int64_t workers = scenario.jobs.front().workers;
    const int64_t once = frames * 8 * PS_PER_S / 4'000'000'000;
    const int64_t atLeast =
        SendsAmongWorkers(GetParam()) ? once * 2 * (workers - 1) / workers : once;
    const int64_t atMost = GetParam() == system_called("tree") ? 2 * once : atLeast;
    const int64_t slow = JctPs(scenario);
    EXPECT_GT(slow, atLeast);
    // Under DSA, tasks that wait for this worker collide, and the last ones wait for a reminder.
    const int64_t reminder = GetParam() == system_called("dsa") ? 1000 * US : 0;
    EXPECT_LT(slow, atMost + atMost / 5 + before + reminder);
}

TEST_P(LinksRunTest, TheDelayOfAWorkersLinkIsInItsRoundTripTwice)
{
    Scenario scenario = Make(1);
    const int64_t before = JctPs(scenario);
    scenario.topology.links = {OfDelay("host1", 52'500'000)};
    // This worker's frames no longer queue. In a ring and in halving-doubling, the fragment crosses
    // the link twice in each direction.
    const bool twice =
        GetParam() == system_called("ring") || GetParam() == system_called("halving_doubling");
    const int64_t times = twice ? 2 : 1;
    EXPECT_NEAR(static_cast<double>(JctPs(scenario)),
                static_cast<double>(before + times * 100 * US),
                US);
}

TEST_P(LinksRunTest, TheLastElementThatNamesALinkWins)
{
    Scenario scenario = Make();
    const int64_t before = JctPs(scenario);
    scenario.topology.links = {OfRate("all", 1'000'000'000),
                               OfRate("all", scenario.topology.link.rate_bps)};
    EXPECT_EQ(JctPs(scenario), before);
}

TEST_P(LinksRunTest, ALinkBetweenSwitchesMayBeTheSlowestToo)
{
    Scenario scenario = Make();
    scenario.topology.type = TopologyType::leaf_spine;
    scenario.topology.racks = 2;
    scenario.topology.hosts_per_rack = 2;
    scenario.topology.spines = 1;
    scenario.topology.links = {OfRate("leaf0-spine0", 2'000'000'000)};
    const int64_t frames = FRAGMENTS * int64_t{scenario.hosts().frame_bytes()};
    const int64_t ofEach = GetParam() == system_called("ps") ? 2 : 1; // sums or packets of the rack
    EXPECT_GT(JctPs(scenario), ofEach * frames * 8 * PS_PER_S / 2'000'000'000);
}

/** Systems whose server sees every task: one packet of each under ATP, all packets with a plain
 * server. */
TEST_P(LinksRunTest, AServerInWhichPacketsTakeTimeDecidesWhereItSeesAllTasks)
{
    Scenario scenario = Make();
    const int64_t before = JctPs(scenario);
    scenario.topology.server.stage = OfPackets(US);
    const int64_t slow = JctPs(scenario);
    const bool sees = GetParam() == system_called("ps") || GetParam() == system_called("atp");
    if (!sees)
    {
        EXPECT_EQ(slow, before);
        return;
    }
    const int64_t ofEach = GetParam() == system_called("ps") ? WORKERS : 1;
    const int64_t atLeast = ofEach * FRAGMENTS * US;
    EXPECT_GT(slow, atLeast);
    EXPECT_LT(slow, 2 * atLeast + before);
}

/** This also holds if much is sent after the last job's end, because SwitchML retransmits packets
 * that wait in front of a slow link. */
TEST_P(LinksRunTest, NoLineSendsForLongerThanUntilItsLastFrame)
{
    Scenario scenario = Make();
    scenario.topology.links = {OfRate("host2", 1'000'000'000)};
    const InaRunResult result = RunAlone(scenario);
    for (const LinkRow& link : result.links)
    {
        EXPECT_EQ(!link.last_sent, link.frames_sent == 0) << link.link;
        EXPECT_LE(*link.busy, link.last_sent.value_or(0)) << link.link;
    }
}

TEST_P(LinksRunTest, TheTimeInTheHostsIsInTheRoundTripTwice)
{
    if (SendsAmongWorkers(GetParam()))
    {
        GTEST_SKIP() << "a fragment passes the hosts as often as the all-reduce has steps";
    }
    constexpr int64_t TAKES_PS = 3 * US;
    Scenario scenario = Make(1);
    const int64_t before = JctPs(scenario);
    scenario.topology.host.stage = OfPackets(TAKES_PS, WORKERS);
    EXPECT_EQ(JctPs(scenario), before + 2 * TAKES_PS);
}

/** The server receives a fragment from each worker and sends a result to each worker. Either the
 * line or the host, whichever takes longer, processes these packets one after the other. */
TEST(LinksOfAServer, AreFasterThanAHostInWhichPacketsTakeLonger)
{
    constexpr int64_t TAKES_PS = 3 * US;
    const System system = system_called("ps");
    Scenario scenario =
        MakeScenario(system,
                     WORKERS,
                     {MakeLayer(1, 0, 0, Scenario().systems.hosts(system).values_per_packet())});
    const auto jctPs = [&scenario]
    {
        const JobRow job = RunAlone(scenario).jobs.at(0);
        return *job.end - *job.start;
    };
    const int64_t before = jctPs();
    const int64_t framePs = int64_t{scenario.hosts().frame_bytes()} * 8 * PS_PER_S /
                            static_cast<int64_t>(scenario.topology.link.rate_bps);
    scenario.topology.server.stage = OfPackets(TAKES_PS);
    EXPECT_EQ(jctPs(), before + 2 * (WORKERS * TAKES_PS - (WORKERS - 1) * framePs));
    scenario.topology.server.stage = OfPackets(framePs / 2);
    EXPECT_EQ(jctPs(), before + 2 * (framePs / 2)) << "the line is slower";
}

/** The cores process one packet per 36 ns. The line carries one per 14.4 ns. */
TEST(LinksOfAJob, AloneAreNoFasterThanTheCoresOfSwitchmlsHosts)
{
    constexpr int64_t MANY = 20'000;
    const System system = system_called("switchml");
    Scenario scenario =
        MakeScenario(system,
                     WORKERS,
                     {MakeLayer(MANY, 0, 0, Scenario().systems.hosts(system).values_per_packet())});
    scenario.topology.host.stage = OfPreset("switchml");
    const JobRow job = RunAlone(scenario).jobs.at(0);
    const int64_t jct = *job.end - *job.start;
    constexpr int64_t PER_CORE_PS = 144'000;
    constexpr int64_t CORES = 4;
    EXPECT_GT(jct, MANY * PER_CORE_PS / CORES);
    EXPECT_LT(jct, MANY * PER_CORE_PS / CORES + 20 * US) << "and some round trips";
}

/** Packet times that differ by packet and host, so that packets overtake each other. */
Scenario
WithSpreadHosts(Scenario scenario)
{
    ina::cluster::HostStage::Config stage = OfPreset("atp-e1-wire");
    stage.spread = 0.3;
    stage.host_spread = 0.2;
    stage.cores = 2;
    scenario.topology.server.stage = stage;
    stage.reorder = true;
    scenario.topology.host.stage = stage;
    return scenario;
}

TEST_P(LinksRunTest, BothEnginesAgreeOnHostsWhoseTimesAreSpread)
{
    ExpectBothEnginesAgree(WithSpreadHosts(Make()));
}

TEST_P(LinksRunTest, WhatThePayloadCarriesDoesNotChangeTheTimeInHosts)
{
    Scenario scenario = WithSpreadHosts(Make());
    const int64_t jct = JctPs(scenario);
    for (const Payload payload : {Payload::digest, Payload::none})
    {
        scenario.payload = payload;
        EXPECT_EQ(JctPs(scenario), jct);
    }
}

TEST_P(LinksRunTest, BothEnginesAgreeOnSlowHosts)
{
    Scenario scenario = Make();
    scenario.topology.server.stage = OfPackets(US / 2);
    scenario.topology.host.stage = OfPackets(US);
    scenario.topology.links = {OfDelay("host3", 7 * US)};
    scenario.faults.links = {Losses("all")};
    scenario.faults.links[0].duplication = 0.01;
    scenario.faults.links[0].reordering = 0.01;
    ExpectBothEnginesAgree(scenario);
}

/** Counts round trips of results: to the parameter server under ATP, to the switch under DSA. */
TEST(LongLinks, AreFullAfterAsManyRoundTripsAsDoublingTheWindowTakes)
{
    constexpr int64_t LONG_FRAGMENTS = 400'000;
    constexpr int64_t DELAY = 100 * US;
    for (const auto& [name, links] : {std::pair{"atp", 4}, std::pair{"dsa", 2}})
    {
        Scenario scenario = MakeOneTensor(system_called(name), WORKERS, LONG_FRAGMENTS, 62);
        scenario.topology.link.delay_ps = DELAY;
        scenario.payload = Payload::none;
        const Scenario sized = WithSizes(scenario);
        const int64_t framePs = 8 * PS_PER_S * sized.hosts().frame_bytes() /
                                static_cast<int64_t>(scenario.topology.link.rate_bps);
        const int64_t roundTrip = links * DELAY;
        int64_t filled = 0; // in round trips
        while (framePs * (sized.hosts().initial_window() << filled) < roundTrip)
        {
            ++filled;
        }
        const InaRunResult result = RunAlone(scenario);
        EXPECT_LT(EndOf(result.iterations[0].back()),
                  LONG_FRAGMENTS * framePs + (filled + 1) * roundTrip)
            << name;
    }
}

TEST(LinksOfAJob, GiveEachWorkerThePriorityOfItsOwnRate)
{
    Scenario scenario = MakeScenario(system_called("dsa"), 2, {MakeLayer(1, 0, 0)});
    scenario.topology.links = {OfRate("host1", 10'000'000'000)};
    const InaOwnSimulator simulator(scenario);
    InaClusterRun run(scenario);
    const InaCluster& cluster = run.Build();
    EXPECT_EQ(cluster.jobs[0]->GetLineRates(),
              (std::vector<uint64_t>{100'000'000'000, 10'000'000'000}));
}

} // namespace
} // namespace ns3
