/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

/** Optional outputs of a run: link activity over time, and durations for which aggregators are
 * held. */
#include "cluster-test-support.h"
#include "scenarios/results/cells.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

using namespace ina::scenarios;

namespace
{

using ina::faults::NodeFault;

constexpr int64_t INTERVAL = 7 * US;

/** All cells of a row. */
template <class Row>
std::string
CellsOf(const Row& row)
{
    return ina::results::line(ina::results::CsvRow(), row);
}

/** All link rows of a run, in comparable form. */
using Series = std::vector<std::string>;

Series
SeriesOf(const InaRunResult& result)
{
    Series series;
    std::ranges::transform(result.linkSamples, std::back_inserter(series), &CellsOf<LinkSeriesRow>);
    return series;
}

/** Number of traced aggregator events at all switches. */
class TracedEvents
{
  public:
    TracedEvents(const InaCluster& cluster, const std::string& event) : m_control(cluster.control)
    {
        for (const auto& inaSwitch : cluster.switches)
        {
            inaSwitch->TraceConnectWithoutContext(event, MakeCallback(&TracedEvents::Count, this));
        }
    }

    std::map<uint16_t, uint64_t> byJob;
    uint64_t all{0};

  private:
    void
    Count(uint16_t id, uint32_t, uint32_t)
    {
        ++byJob[m_control->GetJob(id).value()];
        ++all;
    }

    Ptr<InaControlPlane> m_control;
};

/** Occupations by job, summed over all switches. */
std::map<uint16_t, uint64_t>
OccupationsOf(const InaRunResult& result)
{
    std::map<uint16_t, uint64_t> count;
    for (const OccupationRow& bin : result.occupations)
    {
        count[static_cast<uint16_t>(bin.job)] += bin.occupations;
    }
    return count;
}

class OutputsRunTest : public testing::TestWithParam<System>
{
  protected:
    /** Jobs of 9 and 4 workers in 4 racks under 3 spines. Aggregators are so few that they collide;
     * queues and buffers are so short that frames are marked. */
    static Scenario
    Make()
    {
        Scenario scenario = MakeScenario(GetParam(), 9, {MakeLayer(200, 5 * US, 10 * US)});
        scenario.topology.type = TopologyType::leaf_spine;
        scenario.topology.racks = 4;
        scenario.topology.hosts_per_rack = 4;
        scenario.topology.spines = 3;
        scenario.topology.parameter_servers = 2;
        scenario.topology.uplink.rate_bps = 20'000'000'000;
        scenario.topology.link.framing_bytes = 24;
        scenario.switch_.memory_bytes = 60'000;
        scenario.switch_.ecn_threshold_bytes = 2'000;
        scenario.switch_.pipeline_latency_ps = 1 * US;
        scenario.jobs.push_back(scenario.jobs.front());
        scenario.jobs.back().workers = 4;
        scenario.jobs.front().jitter.range = {0, 30 * US};
        return scenario;
    }

    static Scenario
    MakeAll()
    {
        Scenario scenario = Make();
        scenario.outputs.link_interval_ps = INTERVAL;
        scenario.outputs.occupation = true;
        return scenario;
    }
};

INSTANTIATE_TEST_SUITE_P(Every,
                         OutputsRunTest,
                         testing::ValuesIn(ina::testing::every_system()),
                         NameOfSystem);

TEST_P(OutputsRunTest, NothingIsReportedUnlessItIsAskedFor)
{
    const InaRunResult result = RunAlone(Make());
    EXPECT_TRUE(result.linkSamples.empty());
    EXPECT_TRUE(result.occupations.empty());
}

/** Expected samples: the first tick of each switch and job, the last tick, and ticks in between
 * that changed a counter. */
TEST_P(OutputsRunTest, SamplesAreOfTicksThatChangedACounter)
{
    Scenario scenario = Make();
    scenario.outputs.switch_interval_ps = US;
    const InaRunResult result = RunAlone(scenario);
    std::map<std::pair<std::string, uint64_t>, std::vector<SwitchRow>> samples;
    for (const SwitchRow& sample : result.samples)
    {
        samples[{sample.name, sample.job}].push_back(sample);
    }
    EXPECT_EQ(samples.size(), 7 * scenario.jobs.size());
    for (const auto& [key, of] : samples)
    {
        EXPECT_EQ(of.front().time, 0);
        EXPECT_EQ(of.back().time, result.samples.back().time);
        for (std::size_t i = 1; i + 1 < of.size(); ++i)
        {
            SwitchRow before = of[i - 1];
            before.time = of[i].time;
            EXPECT_NE(CellsOf(of[i]), CellsOf(before)) << key.first << ' ' << i;
        }
    }
}

/** The fast engine knows when nothing else happens, and then no ticks happen either. */
TEST_P(OutputsRunTest, IdleTimeIsLeftOutWhateverTheEngine)
{
    Scenario scenario = MakeAll();
    scenario.outputs.switch_interval_ps = US;
    scenario.jobs.back().start = {20'000 * US, 20'000 * US};
    std::map<Engine, std::vector<std::pair<int64_t, uint64_t>>> samples;
    std::map<Engine, Series> series;
    for (const Engine engine : {Engine::fast, Engine::reference})
    {
        scenario.engine = engine;
        const InaRunResult result = RunAlone(scenario);
        for (const SwitchRow& sample : result.samples)
        {
            samples[engine].emplace_back(*sample.time, sample.occupied);
        }
        series[engine] = SeriesOf(result);
    }
    EXPECT_EQ(samples.at(Engine::fast), samples.at(Engine::reference));
    EXPECT_EQ(series.at(Engine::fast), series.at(Engine::reference));
    EXPECT_LT(samples.at(Engine::fast).size(), 10'000U); // instead of 2 x 7 x 20 000
}

TEST_P(OutputsRunTest, WhatIsReportedChangesNothingAndKeepsNoRunGoing)
{
    const InaRunResult without = RunAlone(Make());
    Scenario scenario = MakeAll();
    for (const int64_t interval : {US, 1'000'000 * US})
    {
        scenario.outputs.link_interval_ps = interval;
        const InaRunResult with = RunAlone(scenario);
        EXPECT_EQ(with.simulatedTime.GetTimeStep(), without.simulatedTime.GetTimeStep());
        EXPECT_EQ(with.packetHops, without.packetHops);
        EXPECT_EQ(FramesByLink(with), FramesByLink(without));
        EXPECT_FALSE(with.linkSamples.empty());
    }
}

TEST_P(OutputsRunTest, TheSumsOverTheIntervalsOfALinkAreItsTotals)
{
    Scenario scenario = MakeAll();
    scenario.faults.links = {Losses("all")};
    scenario.faults.nodes = {Fault(NodeFault::worker_returns, 20 * US, 50 * US, 1, 0)};
    const InaRunResult result = RunAlone(scenario);
    std::map<std::string, LinkSeriesRow> sums;
    for (const LinkSeriesRow& interval : result.linkSamples)
    {
        LinkSeriesRow& sum = sums[interval.link];
        sum.bytes_sent += interval.bytes_sent;
        sum.busy += interval.busy;
        sum.marked += interval.marked;
        sum.dropped += interval.dropped;
        sum.queue = interval.queue;
    }
    uint64_t marked = 0;
    for (const LinkRow& link : result.links)
    {
        marked += *link.marked;
        const LinkSeriesRow& sum = sums[link.link];
        EXPECT_EQ(sum.bytes_sent, link.bytes_sent) << link.link;
        EXPECT_EQ(sum.marked, *link.marked) << link.link;
        EXPECT_EQ(sum.dropped, *link.dropped) << link.link;
        EXPECT_EQ(sum.queue, 0U) << link.link;
        // The time of each frame is rounded up, not the total.
        EXPECT_GE(sum.busy, *link.busy) << link.link;
        EXPECT_LE(sum.busy, *link.busy + static_cast<int64_t>(link.frames_sent));
    }
    EXPECT_GT(marked, 0U);
}

TEST_P(OutputsRunTest, RowsAreInTheOrderOfTimeAndALinkIsBusyForNoMoreThanTheInterval)
{
    int64_t latest = 0;
    for (const LinkSeriesRow& interval : RunAlone(MakeAll()).linkSamples)
    {
        EXPECT_GE(interval.time, latest);
        EXPECT_EQ(interval.time % INTERVAL, 0);
        EXPECT_LE(interval.busy, INTERVAL) << interval.link;
        EXPECT_GE(interval.longest_queue, interval.queue) << interval.link;
        latest = interval.time;
    }
    EXPECT_GT(latest, 0);
}

TEST_P(OutputsRunTest, FramesThatFindNoRoomAreDropsOfTheirInterval)
{
    Scenario scenario = MakeAll();
    scenario.switch_.buffer_bytes = 4'000;
    const InaRunResult result = RunAlone(scenario);
    std::map<std::string, uint64_t> dropped;
    for (const LinkSeriesRow& interval : result.linkSamples)
    {
        dropped[interval.link] += interval.dropped;
    }
    uint64_t all = 0;
    for (const LinkRow& link : result.links)
    {
        EXPECT_EQ(dropped[link.link], *link.dropped) << link.link;
        all += *link.dropped;
    }
    EXPECT_GT(all, 0U);
}

TEST_P(OutputsRunTest, BothEnginesReportTheSame)
{
    Scenario scenario = MakeAll();
    scenario.faults.links = {Losses("racks")};
    scenario.faults.nodes = {Fault(NodeFault::switch_reboots, 30 * US, 50 * US, 0, 0)};
    const InaRunResult fast = RunAlone(scenario);
    scenario.engine = Engine::reference;
    const InaRunResult reference = RunAlone(scenario);
    EXPECT_EQ(SeriesOf(fast), SeriesOf(reference));
    EXPECT_EQ(OccupationsOf(fast), OccupationsOf(reference));
}

TEST_P(OutputsRunTest, ThereAreAsManyOccupationsAsAggregatorsThatFellFree)
{
    const Scenario scenario = MakeAll();
    const InaOwnSimulator simulator(scenario);
    InaClusterRun run(scenario);
    const TracedEvents freed(run.Build(), "AggregatorFreed");
    const InaRunResult result = run.Run();
    EXPECT_EQ(OccupationsOf(result), freed.byJob);
    EXPECT_EQ(OccupationsOf(result).empty(), !ina::cluster::traits_of(GetParam()).has_aggregators);
}

TEST_P(OutputsRunTest, NoAggregatorIsHeldLongerThanTheRun)
{
    const InaRunResult result = RunAlone(MakeAll());
    for (const OccupationRow& bin : result.occupations)
    {
        EXPECT_LE(bin.mean, result.simulatedTime.GetTimeStep());
        EXPECT_GE(bin.mean, bin.from);
        EXPECT_LT(bin.mean, bin.until);
    }
}

/** A job's occupations count under all its ids. A reboot clears registers without an event. */
TEST_P(OutputsRunTest, OccupationsOfJobsThatComeBackAreTheirsAndARebootEndsThem)
{
    Scenario scenario = MakeAll();
    scenario.faults.nodes = {Fault(NodeFault::switch_reboots, 30 * US, 50 * US, 0, 0),
                             Fault(NodeFault::worker_returns, 200 * US, 50 * US, 0, 0)};
    const InaOwnSimulator simulator(scenario);
    InaClusterRun run(scenario);
    const TracedEvents allocated(run.Build(), "AggregatorAllocated");
    const TracedEvents freed(run.Build(), "AggregatorFreed");
    uint64_t occupations = 0;
    for (const auto& [job, count] : OccupationsOf(run.Run()))
    {
        EXPECT_LT(job, 2U);
        occupations += count;
    }
    EXPECT_EQ(occupations, allocated.all);
    EXPECT_GE(occupations, freed.all);
}

/** One worker is 100 us late. The aggregator that the other one reserved is in use until then. */
TEST(Occupation, LastsFromTheFirstPacketToTheOneThatFreesTheAggregator)
{
    Scenario scenario = MakeScenario(system_called("dsa"), 2, {MakeLayer(1, 0, 10 * US)});
    scenario.topology.link.delay_ps = US;
    scenario.jobs[0].compute_time_factors = {{1}, {11}};
    scenario.outputs.occupation = true;
    const InaRunResult result = RunAlone(scenario);
    ASSERT_EQ(result.occupations.size(), 1U);
    EXPECT_EQ(result.occupations[0].occupations, 1U);
    EXPECT_EQ(result.occupations[0].mean, 100 * US);
}

} // namespace
} // namespace ns3
