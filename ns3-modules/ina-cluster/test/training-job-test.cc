/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "cluster-test-support.h"
#include "recording-transport.h"

#include "ns3/enum.h"
#include "ns3/ina-system-of.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <memory>
#include <set>
#include <utility>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

constexpr int64_t GRADIENT_PS = 24480; // 306 B at 100 Gbps
constexpr int64_t UPDATE_PS = 14400;   // 180 B
constexpr int64_t DELAY_PS = 2500000;

int64_t
JctOf(const InaRunResult& result, std::size_t iteration = 0, std::size_t job = 0)
{
    return result.iterations.at(job).at(iteration).span;
}

/// Time from the start of the first of n consecutive transmissions until the sum of the last
/// fragment returns from the switch.
int64_t
LoopPs(int64_t fragments, int64_t framePs)
{
    return (fragments + 1) * framePs + 2 * DELAY_PS;
}

TEST(TrainingJobClosedForm, DsaIsBackwardLoopForward)
{
    for (const int64_t fragments : {1, 2, 10, 150})
    {
        const Scenario scenario =
            MakeScenario(system_called("dsa"),
                         2,
                         {MakeLayer(static_cast<uint64_t>(fragments), 3 * US, 5 * US)});
        EXPECT_EQ(JctOf(RunAlone(scenario)), 8 * US + LoopPs(fragments, GRADIENT_PS)) << fragments;
    }
}

TEST(TrainingJobClosedForm, SwitchmlIsTheSameWithItsOwnFrames)
{
    const Scenario scenario =
        MakeScenario(system_called("switchml"), 2, {MakeLayer(10, 3 * US, 5 * US, 32)});
    EXPECT_EQ(JctOf(RunAlone(scenario)), 8 * US + LoopPs(10, UPDATE_PS));
}

TEST(TrainingJobClosedForm, AtpTakesTheWayOverTheServer)
{
    const Scenario scenario =
        MakeScenario(system_called("atp"), 2, {MakeLayer(10, 3 * US, 5 * US)});
    EXPECT_EQ(JctOf(RunAlone(scenario)),
              8 * US + LoopPs(10, GRADIENT_PS) + 2 * (GRADIENT_PS + DELAY_PS));
}

TEST(TrainingJobClosedForm, FramingCountsOnTheLine)
{
    Scenario scenario = MakeScenario(system_called("dsa"), 2, {MakeLayer(10, 3 * US, 5 * US)});
    scenario.topology.link.framing_bytes = 24;
    EXPECT_EQ(JctOf(RunAlone(scenario)), 8 * US + LoopPs(10, 26400));
}

/// Layers 0 (front) and 1 (back). The gradient of layer 1 is ready first and is sent first.
struct TwoLayers
{
    int64_t forward0;
    int64_t forward1;
    int64_t backward0;
    int64_t backward1;
    int64_t fragments0;
    int64_t fragments1;

    Scenario
    Make() const
    {
        return MakeScenario(system_called("dsa"),
                            2,
                            {MakeLayer(static_cast<uint64_t>(fragments0), forward0, backward0),
                             MakeLayer(static_cast<uint64_t>(fragments1), forward1, backward1)});
    }

    int64_t
    Jct() const
    {
        const int64_t leave1 = backward1 + fragments1 * GRADIENT_PS;
        const int64_t leave0 = std::max(leave1, backward0 + backward1) + fragments0 * GRADIENT_PS;
        const int64_t way = GRADIENT_PS + 2 * DELAY_PS;
        const int64_t end0 = std::max(leave0 + way, backward0 + backward1) + forward0;
        return std::max(end0, leave1 + way) + forward1;
    }
};

TEST(TrainingJobSchedule, AForwardWaitsForItsResultsAndForTheLayerBefore)
{
    const TwoLayers cases[] = {
        {2 * US, 3 * US, 4 * US, 5 * US, 10, 20},   // layer 1 is back before layer 0 has left
        {2 * US, 3 * US, US / 100, 5 * US, 5, 150}, // layer 0 queues behind layer 1 in the worker
        {2 * US, 3 * US, 50 * US, 5 * US, 5, 150},  // the backward pass of layer 0 hides layer 1's
                                                    // results
        {0, 0, 0, 0, 3, 4},                         // the network alone
    };
    for (const TwoLayers& layers : cases)
    {
        EXPECT_EQ(JctOf(RunAlone(layers.Make())), layers.Jct());
    }
}

/// Three layers. Computation hides all communication except that of the front layer.
Scenario
MakeThreeLayers(double exposed)
{
    Scenario scenario = MakeScenario(system_called("dsa"),
                                     2,
                                     {MakeLayer(4, 2 * US, 30 * US),
                                      MakeLayer(3, 3 * US, 40 * US),
                                      MakeLayer(5, 4 * US, 50 * US)});
    scenario.jobs[0].profile.exposed = exposed;
    return scenario;
}

constexpr int64_t BACKWARD_PS = 120 * US;
constexpr int64_t FORWARD_PS = 9 * US;

TEST(TrainingJobExposed, AllOfTheGradientIsBackwardLoopForward)
{
    EXPECT_EQ(JctOf(RunAlone(MakeThreeLayers(1))),
              BACKWARD_PS + LoopPs(4 + 3 + 5, GRADIENT_PS) + FORWARD_PS);
}

TEST(TrainingJobExposed, APartOfItIsBackwardTheLoopOfThatPartAndForward)
{
    // One partition per layer: 4 of 12 fragments are in the last one, 7 in the last two.
    for (const auto& [exposed, fragments] :
         std::vector<std::pair<double, int64_t>>{{0, 4}, {4. / 12, 4}, {0.5, 7}, {7. / 12, 7}})
    {
        EXPECT_EQ(JctOf(RunAlone(MakeThreeLayers(exposed))),
                  BACKWARD_PS + LoopPs(fragments, GRADIENT_PS) + FORWARD_PS)
            << exposed;
    }
}

TEST(TrainingJobExposed, JitterIsAddedToTheEndOfTheBackwardPass)
{
    Scenario scenario = MakeThreeLayers(1);
    scenario.jobs[0].jitter.range = {2 * US, 2 * US};
    EXPECT_EQ(JctOf(RunAlone(scenario)),
              BACKWARD_PS + 2 * US + LoopPs(4 + 3 + 5, GRADIENT_PS) + FORWARD_PS);
}

TEST(TrainingJobSchedule, TheSecondLayersResultsCanBeTheLastThing)
{
    // Layer 0 is sent first, so that its forward pass ends while layer 1 is in flight.
    Scenario scenario =
        MakeScenario(system_called("dsa"), 2, {MakeLayer(2, US / 100, 0), MakeLayer(150, US, 0)});
    scenario.jobs[0].profile.send_order = {{1, 1}, {2, 1}};
    EXPECT_EQ(JctOf(RunAlone(scenario)), LoopPs(152, GRADIENT_PS) + US);
}

TEST(TrainingJobSchedule, EveryIterationIsLikeTheFirstWithoutJitter)
{
    Scenario scenario = TwoLayers{2 * US, 3 * US, 4 * US, 5 * US, 10, 20}.Make();
    scenario.jobs[0].iterations = 3;
    scenario.jobs[0].start = {7 * US, 7 * US};
    const InaRunResult result = RunAlone(scenario);
    EXPECT_EQ(result.jobs[0].start, 7 * US);
    for (std::size_t iteration = 0; iteration < 3; ++iteration)
    {
        EXPECT_EQ(JctOf(result, iteration), JctOf(result, 0)) << iteration;
    }
    EXPECT_EQ(result.iterations[0][2].start, 7 * US + 2 * JctOf(result));
    EXPECT_EQ(result.simulatedTime.GetTimeStep(), 7 * US + 3 * JctOf(result));
}

TEST(TrainingJobSchedule, TheSlowestWorkerSetsThePace)
{
    Scenario scenario = MakeScenario(system_called("dsa"), 2, {MakeLayer(10, 3 * US, 5 * US)});
    scenario.jobs[0].compute_time_factors = {{1}, {1.5}};
    const InaRunResult result = RunAlone(scenario);
    EXPECT_EQ(JctOf(result), 12 * US + LoopPs(10, GRADIENT_PS));
    // The other worker computes its forward pass faster.
    EXPECT_EQ(result.iterations[0][0].worker_mean, JctOf(result) - 3 * US / 4);
}

TEST(TrainingJobJitter, AFixedJitterDelaysEveryPartition)
{
    Scenario scenario = MakeScenario(system_called("dsa"), 2, {MakeLayer(10, 3 * US, 5 * US)});
    scenario.jobs[0].jitter.range = {2 * US, 2 * US};
    for (const JitterPer per : {JitterPer::worker, JitterPer::iteration, JitterPer::partition})
    {
        scenario.jobs[0].jitter.per = per;
        EXPECT_EQ(JctOf(RunAlone(scenario)), 10 * US + LoopPs(10, GRADIENT_PS));
    }
}

/// Three layers without computation: the time before a submission consists of jitter only. The job
/// has a single worker, so that nothing waits for others.
std::vector<std::vector<int64_t>>
JitterByIteration(JitterPer per)
{
    Scenario scenario = MakeScenario(system_called("dsa"),
                                     1,
                                     {MakeLayer(1, 0, 0), MakeLayer(1, 0, 0), MakeLayer(1, 0, 0)});
    scenario.jobs[0].iterations = 4;
    scenario.jobs[0].jitter = {{10 * US, 90 * US}, per};
    const InaOwnSimulator simulator(scenario);
    InaClusterRun run(scenario);
    InaCluster& cluster = run.Build();
    std::vector<Submission> log;
    InaTrainingWorker& worker = cluster.jobs[0]->GetWorker(0);
    worker.GetApplication().Install(
        cluster.links[0].host,
        std::make_unique<RecordingTransport>(
            CreateObject<InaSystemOf<ina::systems::Dsa>>()
                ->MakeTransport({cluster.control->GetId(0), 0, 1, 0, 1}, *cluster.pool, worker),
            log));
    const InaRunResult result = run.Run();
    std::vector<std::vector<int64_t>> jitter(4);
    for (const Submission& submission : log)
    {
        const std::size_t iteration = submission.firstPsn / 3;
        jitter[iteration].push_back(submission.ts - result.iterations[0][iteration].start);
    }
    return jitter;
}

std::size_t
CountDifferent(const std::vector<std::vector<int64_t>>& jitter)
{
    std::set<int64_t> different;
    for (const auto& of : jitter)
    {
        EXPECT_EQ(of.size(), 3U);
        for (const int64_t value : of)
        {
            EXPECT_GE(value, 10 * US);
            EXPECT_LE(value, 90 * US);
            different.insert(value);
        }
    }
    return different.size();
}

TEST(TrainingJobJitter, IsDrawnAsOftenAsJitterPerSays)
{
    EXPECT_EQ(CountDifferent(JitterByIteration(JitterPer::worker)), 1U);
    const auto perIteration = JitterByIteration(JitterPer::iteration);
    EXPECT_EQ(CountDifferent(perIteration), 4U);
    for (const auto& iteration : perIteration)
    {
        EXPECT_EQ(std::set<int64_t>(iteration.begin(), iteration.end()).size(), 1U);
    }
    EXPECT_EQ(CountDifferent(JitterByIteration(JitterPer::partition)), 12U);
}

TEST(TrainingJob, HasARandomStreamOfItsOwnAndOneForEachWorker)
{
    Scenario scenario = MakeScenario(system_called("dsa"), 5, {MakeLayer(1, 0, 0)});
    scenario.jobs.push_back(scenario.jobs[0]);
    scenario.topology.hosts = 10;
    scenario.topology.parameter_servers = 2;
    const ina::cluster::Spec spec = resolve(scenario).spec;
    EXPECT_EQ(spec.jobs[0].first_stream, 1U);
    EXPECT_EQ(spec.jobs[1].first_stream, spec.jobs[0].first_stream + 5 + 1);
}

/// Priorities of tensors on submission by a scenario's first worker.
std::vector<uint16_t>
PrioritiesOf(const Scenario& scenario)
{
    const std::vector<Submission> log = SubmissionsOf(scenario)[0];
    std::vector<uint16_t> priorities;
    for (const Submission& submission : log)
    {
        priorities.push_back(submission.priority.at(ina::Time(submission.ts)));
    }
    return priorities;
}

TEST(TrainingJobPriority, IsThatOfTheLayerByWhatTheWorkerMeasured)
{
    // Frames of 24.48 us at 100 Mbps. Comm = 100 * 62 * 32 bits = 1.984 ms, Comp = 2 ms, T = 3.984
    // ms. Measured: layer 1 is submitted after 1 ms, and the line is busy from then on with 101
    // frames and 5 us: T = 3.47748 ms.
    Scenario scenario = MakeScenario(system_called("dsa"),
                                     2,
                                     {MakeLayer(50, 0, 1000 * US), MakeLayer(50, 0, 1000 * US)});
    scenario.topology.link.rate_bps = 100'000'000;
    scenario.jobs[0].iterations = 3;
    std::vector<uint16_t> expected;
    for (const double iteration : {3.984, 3.9206850, 3.8652844})
    {
        for (const double layer : {2, 1})
        {
            const double remaining = iteration - (3 - layer);
            expected.push_back(static_cast<uint16_t>(
                std::lround(ina::kPriorityScale / remaining * 2 / layer * 1.984 / 2)));
        }
    }
    EXPECT_EQ(PrioritiesOf(scenario), expected);
}

/// The time from the first submission to the last result must not count as Comm: it includes the
/// backward passes of other layers, and is therefore most of the iteration.
TEST(TrainingJobPriority, OfAJobThatHidesItsLittleCommunicationStays)
{
    // Comm/Comp = 4 * 19.84 ns / 304 us = 0.00026.
    Scenario scenario = MakeScenario(system_called("dsa"),
                                     2,
                                     {MakeLayer(1, 25 * US, 51 * US),
                                      MakeLayer(1, 25 * US, 51 * US),
                                      MakeLayer(1, 25 * US, 51 * US),
                                      MakeLayer(1, 25 * US, 51 * US)});
    scenario.jobs[0].iterations = 24;
    const std::vector<uint16_t> priorities = PrioritiesOf(scenario);
    ASSERT_EQ(priorities.size(), 24U * 4);
    for (std::size_t i = 4; i < priorities.size(); ++i)
    {
        // T follows the measured round trips, which were unknown in the first iteration.
        EXPECT_NEAR(priorities[i], priorities[i % 4], 0.1 * priorities[i % 4]) << i;
    }
}

std::vector<std::string> g_iterations;

void
TraceStart(uint16_t job, uint32_t iteration)
{
    g_iterations.push_back("start " + std::to_string(job) + "." + std::to_string(iteration) +
                           " at " + std::to_string(Simulator::Now().GetTimeStep()));
}

void
TraceEnd(uint16_t job, uint32_t iteration, Time completion)
{
    g_iterations.push_back("end " + std::to_string(job) + "." + std::to_string(iteration) +
                           " after " + std::to_string(completion.GetTimeStep()));
}

TEST(TrainingJobTraces, IterationsAreTracedAtTheirTimes)
{
    g_iterations.clear();
    Scenario scenario = MakeScenario(system_called("dsa"), 2, {MakeLayer(10, 3 * US, 5 * US)});
    scenario.jobs[0].iterations = 2;
    scenario.jobs[0].compute_time_factors = {{1}, {1.5}};
    const InaOwnSimulator simulator(scenario);
    InaClusterRun run(scenario);
    const Ptr<InaTrainingJob> job = run.Build().jobs[0];
    ASSERT_TRUE(job->TraceConnectWithoutContext("IterationStart", MakeCallback(&TraceStart)));
    ASSERT_TRUE(job->TraceConnectWithoutContext("IterationEnd", MakeCallback(&TraceEnd)));
    const InaRunResult result = run.Run();
    const auto& iterations = result.iterations[0];
    EXPECT_EQ(
        g_iterations,
        (std::vector<std::string>{
            "start 0.0 at 0",
            // The faster worker begins the next iteration before the slower one ends this one.
            "start 0.1 at " + std::to_string(iterations[1].start),
            "end 0.0 after " + std::to_string(JctOf(result, 0)),
            "end 0.1 after " + std::to_string(JctOf(result, 1))}));
    EXPECT_LT(iterations[1].start, EndOf(iterations[0]));
}

TEST(TrainingJob, StartsWhenTheScenarioSays)
{
    Scenario scenario = MakeScenario(system_called("dsa"), 2, {MakeLayer(1, 0, 0)});
    scenario.jobs[0].start = {US, 2 * US};
    const ina::cluster::JobSpec job = resolve(scenario).spec.jobs[0];
    EXPECT_GE(job.start.count(), US);
    EXPECT_LE(job.start.count(), 2 * US);
    EXPECT_EQ(RunAlone(scenario).jobs[0].start, job.start.count());
}

TEST(TrainingJob, RefusesAnUpperLimitOfJitterBelowTheLowerOne)
{
    Scenario scenario = MakeScenario(system_called("dsa"), 2, {MakeLayer(1, 0, 0)});
    scenario.jobs[0].jitter.range = {2, 1};
    EXPECT_THROW(InaClusterRun run(scenario), std::invalid_argument);
}

} // namespace
} // namespace ns3
