/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

/** Breakdown of the time of iterations, compared with closed forms. */
#include "cluster-test-support.h"

#include "switch-models/policies/collision_policy.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace ns3
{

using namespace ina::scenarios;
using ina::cluster::JctBreakdown;

namespace
{

constexpr int64_t GRADIENT_PS = 24480; // 306 B at 100 Gbps
constexpr int64_t UPDATE_PS = 14400;   // 180 B
constexpr int64_t DELAY_PS = 2500000;

/// Time from the start of the first of n consecutive transmissions until the sum of the last
/// fragment returns from the switch.
int64_t
LoopPs(int64_t fragments, int64_t framePs)
{
    return (fragments + 1) * framePs + 2 * DELAY_PS;
}

int64_t
JctOf(const JobRow& job)
{
    return *job.end - *job.start;
}

/// One run of one job with one iteration.
struct Iteration
{
    explicit Iteration(const Scenario& scenario) : Iteration(RunAlone(scenario)) {}

    explicit Iteration(const InaRunResult& result) :
        job(result.jobs.front()),
        jct(JctOf(job)),
        iteration(result.iterations.front().front()),
        parts(iteration.breakdown)
    {
    }

    JobRow job;
    int64_t jct;
    IterationRow iteration;
    JctBreakdown parts;
};

class JctBreakdownTest : public testing::TestWithParam<System>
{
};

INSTANTIATE_TEST_SUITE_P(Systems,
                         JctBreakdownTest,
                         testing::ValuesIn(ina::testing::every_system()),
                         NameOfSystem);

/// Jitter, stragglers, collisions, and lost frames in every second cluster.
Scenario
RandomCluster(System system, uint64_t seed)
{
    std::mt19937_64 random(seed);
    const auto draw = [&random](uint64_t end) { return random() % end; };
    Scenario scenario = MakeScenario(system, 2 + static_cast<uint32_t>(draw(5)), {});
    scenario.seed = seed;
    scenario.switch_.memory_bytes = 400'000 + 8'000 * draw(100);
    scenario.topology.parameter_servers = 2;
    JobScenario job = scenario.jobs[0];
    for (uint64_t layers = 1 + draw(4); layers > 0; --layers)
    {
        job.profile.layers.push_back({"layer",
                                      draw(40'000),
                                      static_cast<int64_t>(draw(40)) * US,
                                      static_cast<int64_t>(draw(40)) * US});
    }
    job.profile.partition_bytes = 40'000;
    job.iterations = 3;
    job.jitter = {{0, 60 * US}, static_cast<ina::cluster::JitterPer>(draw(3))};
    for (uint64_t workers = draw(3); workers > 0; --workers)
    {
        job.compute_time_factors.push_back({0.5 + static_cast<double>(draw(100)) / 50, 1});
    }
    scenario.topology.hosts = 2 * job.workers;
    scenario.jobs = {job, job};
    if (seed % 2 == 0)
    {
        scenario.faults.links = {Losses("all")};
    }
    return scenario;
}

TEST_P(JctBreakdownTest, PartsAddUpToThePeriodAndPeriodsToTheJct)
{
    for (uint64_t seed = 1; seed <= 20; ++seed)
    {
        const InaRunResult result = RunAlone(RandomCluster(GetParam(), seed));
        for (const JobRow& job : result.jobs)
        {
            int64_t periods = 0;
            for (const IterationRow& iteration : result.iterations[job.job])
            {
                ASSERT_EQ(iteration.breakdown.sum(), iteration.period) << seed;
                for (const ina::cluster::JctPart& part : ina::cluster::kJctParts)
                {
                    ASSERT_GE(iteration.breakdown.*part.of, 0) << part.name << ", seed " << seed;
                }
                periods += iteration.period;
            }
            ASSERT_EQ(periods, JctOf(job)) << seed;
        }
    }
}

TEST_P(JctBreakdownTest, SpansOverlapAndPeriodsDoNotWhereAWorkerIsSlow)
{
    Scenario scenario = MakeScenario(GetParam(), 2, {MakeLayer(10, 30 * US, 50 * US)});
    scenario.jobs[0].compute_time_factors = {{1}, {3}};
    scenario.jobs[0].iterations = 4;
    const InaRunResult result = RunAlone(scenario);
    const int64_t jct = JctOf(result.jobs[0]);
    int64_t periods = 0;
    int64_t spans = 0;
    for (const IterationRow& iteration : result.iterations[0])
    {
        EXPECT_EQ(iteration.breakdown.sum(), iteration.period);
        periods += iteration.period;
        spans += iteration.span;
    }
    EXPECT_EQ(periods, jct);
    constexpr int64_t EARLIER = (90 - 30) * US; // end of the fast worker's forward pass
    EXPECT_GE(spans, jct + 3 * EARLIER * 9 / 10);
}

// ---- serialisation

class AmongWorkersBreakdownTest : public testing::TestWithParam<System>
{
};

INSTANTIATE_TEST_SUITE_P(Systems,
                         AmongWorkersBreakdownTest,
                         testing::Values(system_called("ring"),
                                         system_called("halving_doubling"),
                                         system_called("byteps")),
                         NameOfSystem);

TEST_P(AmongWorkersBreakdownTest, IsTheSerialisationOfAllThatComesInOnAnIdleStar)
{
    constexpr uint64_t WORKERS = 8;
    constexpr uint64_t FRAGMENTS = WORKERS * 400;
    Scenario scenario = MakeOneTensor(GetParam(), WORKERS, FRAGMENTS, ina::wire::kMtuFlowValues);
    scenario.topology.link.delay_ps = 0;
    const Iteration run(scenario);
    const int64_t framePs = ina::serialisation_time(ina::frame_bytes(ina::wire::Format::flow,
                                                                     ina::wire::kMtuFlowValues),
                                                    scenario.topology.link.rate_bps)
                                .count();
    constexpr int64_t FRAMES = 2 * (WORKERS - 1) * FRAGMENTS / WORKERS;
    EXPECT_LE(run.parts.serialisation, FRAMES * framePs);
    EXPECT_GE(run.parts.serialisation, FRAMES * framePs * 95 / 100);
    EXPECT_GE(run.parts.serialisation, run.jct * 9 / 10);
}

TEST(TreeBreakdown, IsMostlySerialisationOnAnIdleStar)
{
    Scenario scenario = MakeOneTensor(system_called("tree"), 8, 3200, ina::wire::kMtuFlowValues);
    scenario.topology.link.delay_ps = 0;
    const Iteration run(scenario);
    EXPECT_GE(run.parts.serialisation, run.jct * 7 / 10);
}

// ---- propagation

TEST_P(JctBreakdownTest, TheWayOfOneFragmentOnLongLinksIsPropagationAndNotQueueing)
{
    constexpr int64_t LONG_PS = 100 * US;
    Scenario scenario = MakeScenario(GetParam(), 4, {MakeLayer(1, 0, 0, 32)});
    scenario.topology.link.delay_ps = LONG_PS;
    const Iteration run(scenario);
    EXPECT_GE(run.jct, 2 * LONG_PS);
    EXPECT_GE(run.parts.propagation, run.jct * 99 / 100);
    EXPECT_LE(run.parts.queueing, run.jct / 100); // all workers' frames share one server
}

class WithServersOrSwitchesTest : public testing::TestWithParam<System>
{
};

INSTANTIATE_TEST_SUITE_P(Systems,
                         WithServersOrSwitchesTest,
                         testing::Values(system_called("switchml"),
                                         system_called("atp"),
                                         system_called("dsa"),
                                         system_called("ps")),
                         NameOfSystem);

TEST_P(WithServersOrSwitchesTest, PropagationIsTheWholeWayThroughRacksAndPipelines)
{
    Scenario scenario = MakeScenario(GetParam(), 4, {MakeLayer(1, 0, 0, 32)});
    PutIntoRacks(scenario);
    scenario.topology.uplink.delay_ps = 3 * US;
    scenario.switch_.pipeline_latency_ps = US / 2;
    const Iteration run(scenario);
    const bool isPs =
        GetParam() == system_called("ps"); // four frames arrive at the server, two from a rack
    EXPECT_EQ(run.parts.queueing, isPs ? 2 * run.parts.serialisation : 0);
    EXPECT_EQ(run.parts.propagation + run.parts.serialisation + run.parts.queueing, run.jct);
}

TEST(DsaBreakdown, IsSerialisationAndPropagationWithoutAWindow)
{
    const Iteration run(MakeScenario(system_called("dsa"), 2, {MakeLayer(100, 0, 0)}));
    EXPECT_EQ(run.jct, LoopPs(100, GRADIENT_PS));
    EXPECT_EQ(run.parts.serialisation, 100 * GRADIENT_PS);
    EXPECT_EQ(run.parts.propagation, run.jct - 100 * GRADIENT_PS);
}

TEST(PsBreakdown, WhatWaitsBeforeTheServersLinkIsQueueing)
{
    Scenario scenario = MakeScenario(system_called("ps"), 8, {MakeLayer(200, 0, 0)});
    const Iteration run(scenario);
    // Eight workers' frames share one link: each result waits for seven others.
    EXPECT_GE(run.parts.queueing, 7 * run.parts.serialisation * 9 / 10);
    EXPECT_EQ(run.parts.slot_wait, 0);
}

// ---- memory and windows

TEST(SwitchmlBreakdown, AUsedUpPoolIsAWaitForMemory)
{
    constexpr int64_t FRAGMENTS = 100;
    Scenario scenario =
        MakeScenario(system_called("switchml"), 2, {MakeLayer(FRAGMENTS, 0, 0, 32)});
    scenario.of<ina::systems::Switchml>().slots = 10;
    const Iteration run(scenario);
    // The last round is not delayed. Its last packet waits for nine others at its host.
    const int64_t propagation = LoopPs(1, UPDATE_PS) - 10 * UPDATE_PS;
    // Ten rounds, each of which waits for the results of the previous one.
    EXPECT_EQ(run.jct, 10 * LoopPs(1, UPDATE_PS) + 9 * UPDATE_PS);
    EXPECT_EQ(run.parts.serialisation, FRAGMENTS * UPDATE_PS);
    EXPECT_EQ(run.parts.propagation, propagation);
    EXPECT_EQ(run.parts.slot_wait, run.jct - FRAGMENTS * UPDATE_PS - propagation);
}

TEST(AtpBreakdown, AUsedUpTableIsAWaitForMemory)
{
    Scenario scenario = MakeScenario(system_called("atp"), 4, {MakeLayer(2000, 0, 0)});
    scenario.switch_.memory_bytes = 10'000;
    const Iteration run(scenario);
    EXPECT_EQ(run.job.fallbacks, 0U);
    EXPECT_GE(run.parts.slot_wait, run.jct / 2);
    EXPECT_EQ(run.parts.window_wait, 0);
    EXPECT_LE(run.parts.queueing, run.jct / 100);
}

TEST(PsBreakdown, ASmallWindowIsAWaitForTheWindow)
{
    constexpr int64_t FRAGMENTS = 96;
    constexpr int64_t WINDOW = 8;
    Scenario scenario = MakeScenario(system_called("ps"), 1, {MakeLayer(FRAGMENTS, 0, 0)});
    ina::PsWorker::Config& worker = scenario.of<ina::systems::Ps>().worker;
    worker.values_per_packet = 62;
    worker.window.initial_packets = WINDOW;
    worker.window.enabled = false;
    const Iteration run(scenario);
    const int64_t framePs = run.parts.serialisation / FRAGMENTS;
    const int64_t roundTrip = 4 * (framePs + DELAY_PS);
    EXPECT_EQ(run.jct, FRAGMENTS / WINDOW * roundTrip + (WINDOW - 1) * framePs);
    EXPECT_EQ(run.parts.propagation, roundTrip - WINDOW * framePs); // in the last round
    EXPECT_EQ(run.parts.window_wait, run.jct - FRAGMENTS * framePs - run.parts.propagation);
    EXPECT_EQ(run.parts.slot_wait, 0);
}

// ---- stragglers and jitter

/// Two workers whose backward passes take 10 ms times a factor, without forward passes. Both end
/// together.
Scenario
TwoWorkers(System system, const std::vector<std::vector<double>>& factors)
{
    Scenario scenario = MakeScenario(system, 2, {MakeLayer(10, 0, 10'000 * US, 32)});
    scenario.jobs[0].compute_time_factors = factors;
    return scenario;
}

TEST_P(JctBreakdownTest, TheLastWorkerWaitsForOneThatComputesThreeTimesAsLong)
{
    const Iteration run(TwoWorkers(GetParam(), {{3}, {1}}));
    EXPECT_EQ(run.iteration.straggler_mean, 10'000 * US);
    if (run.parts.compute == 10'000 * US) // the fast worker was the last one
    {
        EXPECT_EQ(run.parts.straggler, 20'000 * US);
    }
    else
    {
        EXPECT_EQ(run.parts.compute, 30'000 * US);
        EXPECT_EQ(run.parts.straggler, 0);
    }
}

TEST_P(JctBreakdownTest, ASlowLastWorkerComputesAndTheMeanHasTheOthersWait)
{
    Scenario scenario = MakeScenario(GetParam(), 2, {MakeLayer(10, 5'000 * US, 10'000 * US, 32)});
    scenario.jobs[0].compute_time_factors = {{1}, {3}};
    const Iteration run(scenario);
    EXPECT_EQ(run.parts.compute, 45'000 * US);
    EXPECT_EQ(run.parts.straggler, 0);
    EXPECT_EQ(run.iteration.straggler_mean, 10'000 * US);
}

TEST_P(JctBreakdownTest, EqualWorkersThatAreLateTogetherDoNotWaitForEachOther)
{
    Scenario scenario = TwoWorkers(GetParam(), {{1}});
    scenario.jobs[0].jitter.range = {10'000 * US, 10'000 * US};
    const Iteration run(scenario);
    EXPECT_EQ(run.parts.straggler, 0);
    EXPECT_EQ(run.iteration.straggler_mean, 0);
    EXPECT_EQ(run.parts.lateness, 10'000 * US);
    EXPECT_EQ(run.parts.compute, 10'000 * US);
}

TEST(JctBreakdownRecovery, IsAWaitThatAReminderEndedThoughThisWorkerSentNothingAgain)
{
    // The only aggregator is in use when worker 0's second fragment arrives, and free again when
    // worker 1's arrives. Half of the sum waits at the server, half in the switch.
    Scenario scenario = MakeScenario(system_called("dsa"), 2, {MakeLayer(2, 0, 5 * US)});
    scenario.switch_.memory_bytes = 248;
    scenario.of<ina::systems::Dsa>().program.policy = ina::policies::kDsaPolicy;
    scenario.of<ina::systems::Dsa>().worker.min_rto = std::chrono::milliseconds(10);
    scenario.jobs[0].compute_time_factors = {{1}, {1.5}};
    const InaRunResult result = RunAlone(scenario);
    const int64_t hop = GRADIENT_PS + DELAY_PS;
    const int64_t entry = 5 * US + GRADIENT_PS + 2 * hop;
    const int64_t reminded = entry + 1000 * US + 4 * hop; // to the switch and back, and the result
    EXPECT_EQ(JctOf(result.jobs[0]), reminded);
    EXPECT_EQ(result.jobs[0].retransmissions, 0U);
    const ina::cluster::JctBreakdown& parts = result.iterations[0][0].breakdown;
    const int64_t first = 15 * US / 2 + LoopPs(1, GRADIENT_PS);
    EXPECT_EQ(parts.recovery, reminded - first - GRADIENT_PS);
    EXPECT_EQ(parts.fallback, 0);
}

} // namespace
} // namespace ns3
