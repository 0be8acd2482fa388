/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "cluster-test-support.h"

#include "hw/cluster/systems/all.hpp"
#include "tests/support/every_system.hpp"

#include <algorithm>
#include <numeric>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

class LinkFaultsRunTest : public testing::TestWithParam<System>
{
  protected:
    /** Two jobs of three workers on few aggregators. */
    static Scenario
    Make(const LinkFaultsScenario& faults)
    {
        Scenario scenario = MakeScenario(GetParam(), 3, {MakeLayer(300, US, US)});
        scenario.jobs[0].iterations = 2;
        scenario.jobs.push_back(scenario.jobs[0]);
        scenario.topology.hosts = 6;
        scenario.topology.parameter_servers = 2;
        scenario.switch_.memory_bytes = 100'000;
        scenario.faults.links = {faults};
        return scenario;
    }

    static uint64_t
    Sum(const InaRunResult& result, std::optional<uint64_t> LinkRow::*counter)
    {
        return std::accumulate(result.links.begin(),
                               result.links.end(),
                               uint64_t{0},
                               [counter](uint64_t sum, const LinkRow& link)
                               { return sum + *(link.*counter); });
    }
};

INSTANTIATE_TEST_SUITE_P(Systems,
                         LinkFaultsRunTest,
                         testing::ValuesIn(ina::testing::every_system()),
                         NameOfSystem);

// Run() verifies every sum, the end of all jobs, empty aggregators, and the balance of links.
TEST_P(LinkFaultsRunTest, EverySumIsExactUnderLossCorruptionAndBursts)
{
    LinkFaultsScenario faults;
    faults.loss = 0.01;
    faults.corruption = 0.01;
    faults.burst = {.start = 0.001, .mean_duration = {}, .end = 0.2, .loss = 0.8};
    const InaRunResult result = RunAlone(Make(faults));
    EXPECT_GT(Sum(result, &LinkRow::lost), 0U);
    EXPECT_GT(Sum(result, &LinkRow::corrupted), 0U);
    EXPECT_GT(result.jobs[0].retransmissions, 0U);
}

// Bursts measured in frames last for seconds on links that carry only retransmissions.
TEST_P(LinkFaultsRunTest, BurstsThatLastForATimeEndOnIdleLinks)
{
    LinkFaultsScenario faults;
    faults.burst.start = 0.002;
    faults.burst.mean_duration = ina::Time(5 * US);
    const InaRunResult result = RunAlone(Make(faults));
    EXPECT_GT(Sum(result, &LinkRow::lost), 0U);
    EXPECT_LT(result.simulatedTime.GetTimeStep(), 200'000 * US);
}

// A copy may arrive after its task and reserve an aggregator that is never used.
TEST_P(LinkFaultsRunTest, EverySumIsExactUnderDuplicationAndReordering)
{
    LinkFaultsScenario faults;
    faults.loss = 0.001;
    faults.duplication = 0.02;
    faults.reordering = 0.02;
    faults.reordering_delay = ina::Time(3000 * US);
    const InaRunResult result = RunAlone(Make(faults));
    EXPECT_GT(Sum(result, &LinkRow::duplicated), 0U);
    EXPECT_GT(Sum(result, &LinkRow::delayed), 0U);
    const ina::cluster::SystemTraits& traits = ina::cluster::traits_of(GetParam());
    EXPECT_EQ(result.sweptLateCopies > 0, traits.has_aggregators && !traits.has_own_slots);
}

TEST_P(LinkFaultsRunTest, NothingIsSweptWithoutCopies)
{
    LinkFaultsScenario faults;
    faults.loss = 0.01;
    EXPECT_EQ(RunAlone(Make(faults)).sweptLateCopies, 0U);
}

TEST_P(LinkFaultsRunTest, FaultsConcernTheLinkDirectionAndFramesThatTheyName)
{
    LinkFaultsScenario faults;
    faults.link = "host4";
    faults.direction = FaultDirection::from_switch;
    faults.frames = ina::faults::only(ina::faults::FrameClass::result);
    faults.loss = 0.05;
    const InaRunResult result = RunAlone(Make(faults));
    for (const LinkRow& link : result.links)
    {
        EXPECT_EQ(*link.lost > 0, link.link == "switch>host4") << link.link;
    }
}

TEST_P(LinkFaultsRunTest, FaultsOfTimesThatNeverComeChangeNothing)
{
    LinkFaultsScenario faults;
    faults.loss = 1;
    faults.from = ina::Time(900'000 * US);
    const InaRunResult with = RunAlone(Make(faults));
    const InaRunResult without = RunAlone(Make({}));
    EXPECT_EQ(EndOf(with.iterations[1].back()), EndOf(without.iterations[1].back()));
    EXPECT_EQ(with.packetHops, without.packetHops);
}

TEST_P(LinkFaultsRunTest, BothEnginesLoseTheSameFrames)
{
    LinkFaultsScenario faults;
    faults.loss = 0.01;
    faults.reordering = 0.01;
    Scenario scenario = Make(faults);
    const InaRunResult fast = RunAlone(scenario);
    scenario.engine = Engine::reference;
    const InaRunResult reference = RunAlone(scenario);
    ASSERT_EQ(fast.links.size(), reference.links.size());
    for (std::size_t i = 0; i < fast.links.size(); ++i)
    {
        EXPECT_EQ(fast.links[i].lost, reference.links[i].lost);
        EXPECT_EQ(fast.links[i].frames_sent, reference.links[i].frames_sent);
    }
    EXPECT_EQ(EndOf(fast.iterations[0].back()), EndOf(reference.iterations[0].back()));
}

/** Lets the packets fill an MTU of 9000 bytes. */
void
FillJumboFrames(Scenario& scenario)
{
    scenario.systems.with(scenario.system,
                          []<class System>(System& system)
                          {
                              if constexpr (std::is_same_v<System, ina::systems::Switchml>)
                              {
                                  system.values = ina::wire::kSwitchmlValues.back();
                              }
                              else
                              {
                                  system.worker.values_per_packet = ina::wire::kMostFlowValues;
                              }
                          });
}

TEST_P(LinkFaultsRunTest, EverySumOfJumboFramesIsExactUnderLossInBothEngines)
{
    LinkFaultsScenario faults;
    faults.loss = 0.01;
    Scenario scenario = Make(faults);
    FillJumboFrames(scenario);
    for (JobScenario& job : scenario.jobs)
    {
        job.profile.layers = {MakeLayer(300, US, US, ina::wire::kMostFlowValues)};
    }
    scenario.switch_.memory_bytes = 100 * scenario.switches().aggregator_bytes();
    const InaRunResult fast = RunAlone(scenario);
    EXPECT_GT(Sum(fast, &LinkRow::lost), 0U);
    const LinkRow& link = fast.links.front();
    EXPECT_GT(link.bytes_sent / link.frames_sent, 4000U) << link.link;
    scenario.engine = Engine::reference;
    const InaRunResult reference = RunAlone(scenario);
    EXPECT_EQ(EndOf(fast.iterations[1].back()), EndOf(reference.iterations[1].back()));
    EXPECT_EQ(fast.packetHops, reference.packetHops);
}

} // namespace
} // namespace ns3
