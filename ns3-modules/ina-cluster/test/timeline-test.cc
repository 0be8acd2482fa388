/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

/** Content of time lines, compared with the results of the run. */
#include "cluster-test-support.h"

#include "hw/cluster/training/verification_error.hpp"

#include "ns3/ina-timeline.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

using Json = nlohmann::json;

/** Two jobs of two layers whose tasks collide, so that some are preempted. */
Scenario
MakeColliding()
{
    Scenario scenario = MakeScenario(system_called("dsa"), 2, {MakeLayer(40, 10 * US, 20 * US)});
    scenario.topology.hosts = 4;
    scenario.topology.parameter_servers = 2;
    scenario.switch_.memory_bytes = 5'000;
    JobScenario& job = scenario.jobs.front();
    job.profile.layers.push_back(job.profile.layers.front());
    job.iterations = 2;
    job.jitter.range = {0, 5 * US};
    scenario.jobs.push_back(job);
    scenario.outputs.link_interval_ps = US;
    return scenario;
}

struct Traced
{
    InaRunResult result;
    Json events;
};

Traced
Trace(const Scenario& scenario, const InaTimeline::Config& config)
{
    InaTimeline timeline(config);
    const InaOwnSimulator simulator(scenario);
    InaClusterRun run(scenario, {.linkSample = [&timeline](const LinkSeriesRow& sample) {
                          timeline.AddLinkSample(sample);
                      }});
    timeline.ConnectTo(run.Build());
    InaRunResult result = run.Run();
    timeline.Finish(result.simulatedTime);
    std::ostringstream out;
    out << '{';
    timeline.Write(out);
    out << '}';
    return {std::move(result), Json::parse(out.str()).at("traceEvents")};
}

Traced
Trace(const Scenario& scenario)
{
    InaOwnSimulator::SetResolution(); // before the window
    return Trace(scenario, {.frames = true});
}

using Track = std::pair<uint32_t, uint32_t>;

Track
TrackOf(const Json& event)
{
    return {event.at("pid").get<uint32_t>(), event.at("tid").get<uint32_t>()};
}

/** Events of a phase, in the order of the file. */
std::vector<Json>
OfPhase(const Json& events, const std::string& phase)
{
    std::vector<Json> found;
    for (const Json& event : events)
    {
        if (event.at("ph") == phase)
        {
            found.push_back(event);
        }
    }
    return found;
}

TEST(InaTimeline, EveryEventHasWhatItsPhaseAsksFor)
{
    const Traced traced = Trace(MakeColliding());
    std::set<uint32_t> named;
    std::set<Track> namedThreads;
    double before = 0;
    for (const Json& event : traced.events)
    {
        const auto phase = event.at("ph").get<std::string>();
        if (phase == "M")
        {
            named.insert(event.at("pid").get<uint32_t>());
            if (event.at("name") == "thread_name")
            {
                namedThreads.insert(TrackOf(event));
            }
            EXPECT_TRUE(event.at("args").is_object());
            continue;
        }
        EXPECT_TRUE(named.contains(event.at("pid").get<uint32_t>()));
        EXPECT_TRUE(phase == "C" || namedThreads.contains(TrackOf(event))) << event;
        EXPECT_FALSE(event.at("name").get<std::string>().empty());
        const double ts = event.at("ts").get<double>();
        EXPECT_GE(ts, before);
        before = ts;
        EXPECT_EQ(event.contains("dur"), phase == "X");
        EXPECT_EQ(event.contains("id"), phase == "b" || phase == "e");
        EXPECT_EQ(event.contains("s"), phase == "i");
        if (phase == "C")
        {
            EXPECT_GE(event.at("args").begin()->get<int64_t>(), 0);
        }
    }
    for (const char* phase : {"X", "b", "e", "C", "i"})
    {
        EXPECT_FALSE(OfPhase(traced.events, phase).empty()) << phase;
    }
}

TEST(InaTimeline, SpansOfAThreadFollowOneAnother)
{
    std::map<Track, double> busyUntil;
    for (const Json& event : OfPhase(Trace(MakeColliding()).events, "X"))
    {
        const double begin = event.at("ts").get<double>();
        double& until = busyUntil[TrackOf(event)];
        EXPECT_GE(begin, until - 1e-9);
        until = begin + event.at("dur").get<double>();
    }
}

TEST(InaTimeline, WorkersComputeEachPassOfEachLayerAndWaitForEachPartition)
{
    const Traced traced = Trace(MakeColliding());
    std::map<std::string, int> computed;
    for (const Json& event : OfPhase(traced.events, "X"))
    {
        computed[event.at("name").get<std::string>()] += event.at("pid").get<int>() <= 4 ? 1 : 0;
    }
    constexpr int TIMES = 2 * 2 * 2; // jobs, workers, iterations
    for (const char* name :
         {"backward, layer 1", "backward, layer 2", "forward, layer 1", "forward, layer 2"})
    {
        EXPECT_EQ(computed[name], TIMES) << name;
    }
    const auto begins = OfPhase(traced.events, "b");
    const auto ends = OfPhase(traced.events, "e");
    EXPECT_EQ(begins.size(), 2U * TIMES);
    EXPECT_EQ(ends.size(), begins.size());
    std::set<uint64_t> open;
    for (const Json& event : traced.events)
    {
        if (event.at("ph") == "b")
        {
            EXPECT_TRUE(open.insert(event.at("id").get<uint64_t>()).second);
        }
        if (event.at("ph") == "e")
        {
            EXPECT_EQ(open.erase(event.at("id").get<uint64_t>()), 1U);
        }
    }
}

std::vector<std::string>
PartitionsOfTheFirstWorker(const Scenario& scenario)
{
    std::vector<std::string> names;
    for (const Json& event : OfPhase(Trace(scenario).events, "b"))
    {
        if (event.at("pid") == 1)
        {
            names.push_back(event.at("name"));
        }
    }
    return names;
}

TEST(InaTimeline, CountsLayersAndPartitionsFromOneAsTheSendOrderDoes)
{
    Scenario scenario = MakeColliding();
    scenario.jobs.resize(1);
    JobScenario& job = scenario.jobs.front();
    job.iterations = 1;
    job.jitter.range = {0, 0};
    job.profile.partition_bytes = job.profile.layers.front().parameters * 2; // half a layer
    EXPECT_EQ(PartitionsOfTheFirstWorker(scenario),
              (std::vector<std::string>{"layer 2, partition 1",
                                        "layer 2, partition 2",
                                        "layer 1, partition 1",
                                        "layer 1, partition 2"}));
    job.profile.send_order = {{2, 2}, {1, 2}, {2, 1}, {1, 1}};
    EXPECT_EQ(PartitionsOfTheFirstWorker(scenario),
              (std::vector<std::string>{"layer 2, partition 2",
                                        "layer 2, partition 1",
                                        "layer 1, partition 2",
                                        "layer 1, partition 1"})); // layer 2 is computed first
}

TEST(InaTimeline, TasksGiveUpAggregatorsAsTheCountersSay)
{
    const Traced traced = Trace(MakeColliding());
    std::map<std::string, uint64_t> ended;
    for (const Json& event : OfPhase(traced.events, "X"))
    {
        if (event.at("args").contains("ended"))
        {
            ++ended[event.at("args").at("ended").get<std::string>()];
        }
    }
    uint64_t preemptions = 0;
    for (const JobRow& job : traced.result.jobs)
    {
        preemptions += job.preemptions;
    }
    EXPECT_GT(preemptions, 0U);
    EXPECT_EQ(ended["preempted"], preemptions);
    EXPECT_GT(ended["completed"], 0U);
    EXPECT_EQ(ended["held"], 0U);
    // All aggregators are free at the end.
    std::map<std::string, int64_t> inUse;
    for (const Json& event : OfPhase(traced.events, "C"))
    {
        if (event.at("args").contains("in use"))
        {
            inUse[event.at("name").get<std::string>()] =
                event.at("args").at("in use").get<int64_t>();
        }
    }
    EXPECT_EQ(
        inUse,
        (std::map<std::string, int64_t>{{"aggregators of job 0", 0}, {"aggregators of job 1", 0}}));
}

/** All gradients of a task arrive at once, so that most tasks begin and end at the same instant. */
TEST(InaTimeline, ShowsTasksOfAnInstantAndWhatItEndsWith)
{
    Scenario scenario = MakeColliding();
    scenario.jobs.resize(1);
    scenario.jobs.front().jitter = {};
    const Traced traced = Trace(scenario);
    uint64_t ofAnInstant = 0;
    uint64_t tasks = 0;
    for (const Json& event : OfPhase(traced.events, "X"))
    {
        if (event.at("args").contains("ended"))
        {
            ++tasks;
            ofAnInstant += event.at("dur") == 0 ? 1 : 0;
        }
    }
    EXPECT_EQ(tasks, 40U * 2 * 2); // fragments, layers, iterations
    EXPECT_GT(ofAnInstant, 0U);
    std::map<std::string, std::pair<double, int64_t>> last;
    for (const Json& event : OfPhase(traced.events, "C"))
    {
        if (event.at("args").contains("in use"))
        {
            auto& [ts, inUse] = last[event.at("name").get<std::string>()];
            EXPECT_LT(ts, event.at("ts").get<double>());
            ts = event.at("ts").get<double>();
            inUse = event.at("args").at("in use").get<int64_t>();
        }
    }
    for (const auto& [name, value] : last)
    {
        EXPECT_EQ(value.second, 0) << name;
    }
}

/** Without computation, an iteration submits as soon as the previous one has its results. */
TEST(InaTimeline, ACommunicationEndsBeforeTheNextOfItsPartitionBegins)
{
    Scenario scenario = MakeScenario(system_called("dsa"), 2, {MakeLayer(40, 0, 0)});
    scenario.jobs.front().iterations = 3;
    std::set<uint64_t> open;
    int spans = 0;
    for (const Json& event : Trace(scenario).events)
    {
        if (event.at("ph") == "b")
        {
            EXPECT_TRUE(open.insert(event.at("id").get<uint64_t>()).second) << event;
            ++spans;
        }
        if (event.at("ph") == "e")
        {
            EXPECT_EQ(open.erase(event.at("id").get<uint64_t>()), 1U) << event;
        }
    }
    EXPECT_EQ(spans, 2 * 3); // workers, iterations
    EXPECT_TRUE(open.empty());
}

TEST(InaTimeline, EveryFrameIsSentAndArrives)
{
    const Traced traced = Trace(MakeColliding());
    std::map<std::string, uint64_t> frames;
    for (const Json& event : OfPhase(traced.events, "i"))
    {
        const auto name = event.at("name").get<std::string>();
        ++frames[name.substr(name.rfind(' ') + 1)];
    }
    // Frames that arrive after the end of the last job are outside the time line.
    EXPECT_LE(frames["arrived"], traced.result.packetHops);
    EXPECT_GT(frames["arrived"], traced.result.packetHops * 9 / 10);
    EXPECT_GE(frames["sent"], frames["arrived"]);
}

TEST(InaTimeline, IsTheSameUnderBothEngines)
{
    Scenario scenario = MakeColliding();
    scenario.faults.links = {Losses("all")};
    const Json fast = Trace(scenario).events;
    scenario.engine = Engine::reference;
    EXPECT_EQ(fast, Trace(scenario).events);
}

TEST(InaTimeline, ChangesNothing)
{
    const Scenario scenario = MakeColliding();
    const InaRunResult traced = Trace(scenario).result;
    const InaRunResult alone = RunAlone(scenario);
    EXPECT_EQ(traced.simulatedTime.GetTimeStep(), alone.simulatedTime.GetTimeStep());
    EXPECT_EQ(traced.packetHops, alone.packetHops);
    EXPECT_EQ(FramesByLink(traced), FramesByLink(alone));
}

TEST(InaTimeline, HoldsItsWindowAndCutsWhatIsLonger)
{
    InaOwnSimulator::SetResolution();
    const InaTimeline::Config window{.from = MicroSeconds(15),
                                     .to = MicroSeconds(25),
                                     .frames = true};
    const Traced traced = Trace(MakeColliding(), window);
    for (const Json& event : traced.events)
    {
        if (event.at("ph") == "M")
        {
            continue;
        }
        EXPECT_GE(event.at("ts").get<double>(), 15);
        EXPECT_LE(event.at("ts").get<double>() + event.value("dur", 0.0), 25.0000001);
    }
    // Both passes of both layers take 20 us each, one after the other.
    EXPECT_EQ(OfPhase(traced.events, "X").front().at("name"), "backward, layer 2");
}

TEST(InaTimeline, EndsTheRunWhenItIsFull)
{
    const Scenario scenario = MakeColliding();
    InaTimeline timeline({.frames = true, .mostEvents = 100});
    const InaOwnSimulator simulator(scenario);
    InaClusterRun run(scenario);
    timeline.ConnectTo(run.Build());
    EXPECT_THROW(run.Run(), ina::cluster::VerificationError) << "it was stopped";
    EXPECT_TRUE(timeline.IsFull());
    EXPECT_EQ(timeline.Events(), 100U);
}

} // namespace
} // namespace ns3
