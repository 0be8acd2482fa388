/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

/** All-reduce among workers: duration compared with the closed form, and traffic. Run() verifies
 * every sum. */
#include "cluster-test-support.h"

#include "hw/protocol/wire/headers.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

constexpr uint64_t VALUES = ina::wire::kMtuFlowValues;
// Maximum number of workers whose frames carry values. Runs with more workers would take too long.
constexpr uint32_t MOST_WORKERS_WITH_VALUES = 256;

/** One tensor, of which every worker begins `perWorker` fragments. */
Scenario
MakeAmongWorkers(System system, uint32_t workers, uint32_t perWorker)
{
    Scenario scenario = MakeOneTensor(system, workers, uint64_t{perWorker} * workers, VALUES);
    if (workers > MOST_WORKERS_WITH_VALUES)
    {
        scenario.payload = Payload::none;
    }
    return scenario;
}

Scenario
MakeRing(uint32_t workers, uint32_t perWorker)
{
    return MakeAmongWorkers(system_called("ring"), workers, perWorker);
}

Scenario
MakeRingOfRacks(uint32_t workers, uint32_t perWorker)
{
    Scenario scenario = MakeRing(workers, perWorker);
    PutIntoRacks(scenario);
    return scenario;
}

int64_t
JctOf(const Scenario& scenario)
{
    const JobRow job = RunAlone(scenario).jobs.front();
    return *job.end - *job.start;
}

int64_t
LinePs(const Scenario& scenario, uint64_t bytes)
{
    return ina::serialisation_time(bytes, scenario.topology.link.rate_bps).count();
}

/** Time until a frame arrives at the next worker over `links` links. */
int64_t
HopPs(const Scenario& scenario, int64_t links)
{
    const int64_t link = LinePs(scenario, ina::frame_bytes(ina::wire::Format::flow, VALUES)) +
                         scenario.topology.link.delay_ps;
    return links * link + (links - 1) * scenario.switch_.pipeline_latency_ps;
}

int64_t
FramePs(const Scenario& scenario)
{
    return LinePs(scenario, ina::frame_bytes(ina::wire::Format::flow, VALUES));
}

/**
 * Duration of a ring's 2 (n - 1) steps of c frames each way (docs/explanation/all-reduces.md). A
 * step lasts until its first frame has arrived at the next worker, or until all of its frames were
 * sent. The last frame of the last step arrives one hop after it was sent.
 */
int64_t
ClosedForm(const Scenario& scenario, int64_t perWorker, int64_t hop, int64_t longestHop)
{
    const int64_t frame = FramePs(scenario);
    const int64_t steps = 2 * (int64_t{scenario.jobs.front().workers} - 1);
    return (steps - 1) * std::max(perWorker * frame, hop) + (perWorker - 1) * frame + longestHop;
}

constexpr double TOLERANCE = 0.02; // an acknowledgement per four frames is one percent

struct Size
{
    uint32_t workers;
    uint32_t perWorker;
};

class RingClosedForm : public testing::TestWithParam<Size>
{
};

// Sizes at which the line dominates, and sizes at which the latency does.
INSTANTIATE_TEST_SUITE_P(Sizes,
                         RingClosedForm,
                         testing::Values(Size{8, 1000},
                                         Size{8, 5},
                                         Size{64, 100},
                                         Size{64, 5},
                                         Size{100, 50},
                                         Size{100, 2},
                                         Size{256, 50},
                                         Size{256, 2},
                                         Size{512, 50},
                                         Size{1000, 2},
                                         Size{1024, 2}),
                         [](const auto& info)
                         {
                             return std::to_string(info.param.workers) + "WorkersWith" +
                                    std::to_string(info.param.perWorker);
                         });

TEST_P(RingClosedForm, OnAStar)
{
    const auto [workers, perWorker] = GetParam();
    const Scenario scenario = MakeRing(workers, perWorker);
    const int64_t hop = HopPs(scenario, 2);
    const auto expected = static_cast<double>(ClosedForm(scenario, perWorker, hop, hop));
    EXPECT_NEAR(static_cast<double>(JctOf(scenario)), expected, TOLERANCE * expected);
}

/** The last worker of each rack sends over a spine, all others over their leaf. */
TEST(RingClosedFormOfRacks, WhereTheLineDecides)
{
    for (const uint32_t workers : {8, 64})
    {
        const Scenario scenario = MakeRingOfRacks(workers, 200);
        const int64_t hop = HopPs(scenario, 4);
        const auto expected = static_cast<double>(ClosedForm(scenario, 200, hop, hop));
        EXPECT_NEAR(static_cast<double>(JctOf(scenario)), expected, TOLERANCE * expected)
            << workers << " workers";
    }
}

/** A fragment travels round the ring twice, less two hops. */
TEST(RingClosedFormOfRacks, WhereTheLatencyDecides)
{
    for (const uint32_t workers : {64, 96, 1024})
    {
        const Scenario scenario = MakeRingOfRacks(workers, 1);
        const int64_t racks = scenario.topology.racks;
        const int64_t round = (workers - racks) * HopPs(scenario, 2) + racks * HopPs(scenario, 4);
        const auto expected = static_cast<double>(2 * round - 2 * HopPs(scenario, 2));
        EXPECT_NEAR(static_cast<double>(JctOf(scenario)), expected, TOLERANCE * expected)
            << workers << " workers";
    }
}

TEST(RingRun, EachWayOfAWorkersLinkCarriesTwiceTheTensorButItsShare)
{
    constexpr uint32_t WORKERS = 8;
    constexpr uint32_t PER_WORKER = 100;
    const InaRunResult result = RunAlone(MakeRing(WORKERS, PER_WORKER));
    const auto frames = FramesByLink(result);
    const uint64_t data = 2 * (WORKERS - 1) * PER_WORKER;
    for (uint32_t host = 0; host < WORKERS; ++host)
    {
        const std::string name = "host" + std::to_string(host);
        const uint64_t acknowledgements = frames.at(name + ">switch") - data;
        EXPECT_EQ(acknowledgements, data / 4);
        EXPECT_EQ(frames.at("switch>" + name), data + acknowledgements);
    }
    EXPECT_EQ(result.jobs.front().retransmissions, 0U);
    EXPECT_EQ(result.switchRejectedFrames, 0U);
}

/** Halving-doubling and servers next to workers send different frames, but equally many. */
class ClosedFormTest : public testing::TestWithParam<std::tuple<System, uint32_t>>
{
  protected:
    /** Each direction of a worker's link carries 2 (n - 1)/n of the tensor, step by step. */
    void
    ExpectClosedForm(const Scenario& scenario, int64_t perWorker, int64_t longestHop) const
    {
        const auto workers = static_cast<uint16_t>(scenario.jobs.front().workers);
        const int64_t bytes = 2 * (int64_t{workers} - 1) * perWorker * FramePs(scenario);
        const int64_t steps = scenario.hosts().steps(workers);
        const auto expected = static_cast<double>(bytes + steps * longestHop);
        const auto jct = static_cast<double>(JctOf(scenario));
        // Frames that a step waits for may already be in flight while the previous step sends.
        const int64_t hop = HopPs(scenario, 2);
        const auto pipelined =
            static_cast<double>(std::max(bytes + hop - FramePs(scenario), steps * hop));
        EXPECT_GE(jct, pipelined);
        EXPECT_LT(jct, expected * (1 + TOLERANCE));
    }

    /** Fragments per worker of a tensor that is long enough for the line to dominate. */
    uint32_t
    PerWorkerOfALongTensor() const
    {
        return m_workers > MOST_WORKERS_WITH_VALUES ? 4 : 8192 / m_workers;
    }

    System m_system = std::get<System>(GetParam());
    uint32_t m_workers = std::get<uint32_t>(GetParam());
};

std::string
NameOfSystemAndWorkers(const testing::TestParamInfo<std::tuple<System, uint32_t>>& info)
{
    const auto [system, workers] = info.param;
    return std::string(ina::cluster::name_of(system)) + std::to_string(workers);
}

INSTANTIATE_TEST_SUITE_P(Workers,
                         ClosedFormTest,
                         testing::Combine(testing::Values(system_called("halving_doubling"),
                                                          system_called("byteps")),
                                          testing::Values(8, 64, 256, 1024)),
                         NameOfSystemAndWorkers);

// If the number of workers is not a power of two, halving-doubling sends everything two more times.
INSTANTIATE_TEST_SUITE_P(WorkersThatAreNoPowerOfTwo,
                         ClosedFormTest,
                         testing::Combine(testing::Values(system_called("byteps")),
                                          testing::Values(6, 96)),
                         NameOfSystemAndWorkers);

TEST_P(ClosedFormTest, OnAStar)
{
    const uint32_t most = PerWorkerOfALongTensor();
    for (const uint32_t perWorker : {1U, std::min(10U, most / 2), most})
    {
        const Scenario scenario = MakeAmongWorkers(m_system, m_workers, perWorker);
        ExpectClosedForm(scenario, perWorker, HopPs(scenario, 2));
    }
}

TEST_P(ClosedFormTest, OnALeafSpineThatDoesNotHoldThemUp)
{
    const uint32_t perWorker = PerWorkerOfALongTensor();
    Scenario scenario = MakeAmongWorkers(m_system, m_workers, perWorker);
    PutIntoRacks(scenario);
    WidenUplinks(scenario);
    ExpectClosedForm(scenario, perWorker, HopPs(scenario, 4));
}

/** Partitions are in different steps, and their flows share the workers' lines. */
TEST(HalvingDoublingRun, ATensorInPartitionsTakesAsLongAsInOne)
{
    Scenario scenario = MakeAmongWorkers(system_called("halving_doubling"), 8, 1);
    scenario.payload = Payload::none;
    ina::cluster::ModelProfile& profile = scenario.jobs.front().profile;
    profile.layers.front().parameters = 12'500'000;
    profile.partition_bytes = 50'000'000;
    const auto inOne = static_cast<double>(JctOf(scenario));
    profile.partition_bytes = 4'000'000;
    const auto inThirteen = static_cast<double>(JctOf(scenario));
    EXPECT_NEAR(inThirteen, inOne, 0.03 * inOne);
}

/** Transmission time of everything that the busiest link carries. */
int64_t
BusiestPs(const Scenario& scenario)
{
    const InaRunResult result = RunAlone(scenario);
    uint64_t most = 0;
    for (const LinkRow& link : result.links)
    {
        most = std::max(most, link.bytes_sent);
    }
    return LinePs(scenario, most);
}

/**
 * An inner worker receives the sums of two others on one line. The line is therefore not the only
 * limit: windows and the order of sending matter, too.
 */
TEST(TreeRun, TakesTwiceTheTensorAndASeventhAtMost)
{
    for (const uint32_t workers : {8, 64})
    {
        const Scenario scenario =
            MakeAmongWorkers(system_called("tree"), workers, 16'384 / workers);
        const int64_t bytes = 2 * 16'384 * FramePs(scenario);
        const int64_t acknowledgements =
            2 * 16'384 * LinePs(scenario, ina::wire::kAcknowledgementBytes);
        const int64_t jct = JctOf(scenario);
        EXPECT_GT(jct, bytes) << workers << " workers";
        EXPECT_LT(jct, bytes + bytes / 7) << workers << " workers";
        EXPECT_LT(BusiestPs(scenario), bytes + acknowledgements) << workers << " workers";
    }
}

TEST(TreeRun, WhereTheLatencyDecidesItIsTheDepthTwice)
{
    for (const uint32_t workers : {8, 64, 256})
    {
        Scenario scenario = MakeAmongWorkers(system_called("tree"), workers, 1);
        ina::cluster::ModelProfile& profile = scenario.jobs.front().profile;
        profile.layers.front().parameters = 2 * VALUES; // one layer per tree
        const int64_t steps = scenario.hosts().steps(static_cast<uint16_t>(workers));
        const auto expected = static_cast<double>(steps * HopPs(scenario, 2));
        EXPECT_NEAR(static_cast<double>(JctOf(scenario)), expected, 0.06 * expected) << workers;
    }
}

/**
 * Two flows share an inner worker's line, which stays the bottleneck if uplinks are faster.
 */
TEST(TreeRun, TakesAsLongWithFasterUplinks)
{
    Scenario scenario = MakeAmongWorkers(system_called("tree"), 8, 1000);
    scenario.payload = Payload::none;
    scenario.topology.type = TopologyType::leaf_spine;
    scenario.topology.racks = 2;
    scenario.topology.hosts_per_rack = 4;
    for (const uint64_t threshold_bytes : {60'000, 1'000'000})
    {
        scenario.switch_.ecn_threshold_bytes = threshold_bytes;
        const auto jct = [&scenario](uint64_t gbps)
        {
            scenario.topology.uplink.rate_bps = gbps * 1'000'000'000;
            return static_cast<double>(JctOf(scenario));
        };
        EXPECT_NEAR(jct(400), jct(100), 0.01 * jct(100))
            << "queues mark from " << threshold_bytes << " bytes on";
    }
}

class AmongWorkersRun : public testing::TestWithParam<System>
{
};

INSTANTIATE_TEST_SUITE_P(Systems,
                         AmongWorkersRun,
                         testing::Values(system_called("ring"),
                                         system_called("halving_doubling"),
                                         system_called("tree"),
                                         system_called("byteps")),
                         NameOfSystem);

TEST_P(AmongWorkersRun, BothEnginesAgree)
{
    Scenario scenario = MakeRingOfRacks(16, 40);
    scenario.system = GetParam();
    scenario.jobs.front().jitter.range = {0, 20 * US};
    scenario.jobs.front().iterations = 3;
    ExpectBothEnginesAgree(scenario);
    scenario.faults.links = {Losses("all")};
    ExpectBothEnginesAgree(scenario);
}

/** The second partition is in flight to all workers while they are busy with the first one. */
TEST_P(AmongWorkersRun, ASecondPartitionOfOneValueTakesHardlyAnyTimeOfItsOwn)
{
    Scenario scenario = MakeAmongWorkers(GetParam(), 16, 100);
    scenario.payload = Payload::none;
    ina::cluster::ModelProfile& profile = scenario.jobs.front().profile;
    profile.partition_bytes = profile.layers.front().parameters * sizeof(float);
    const auto inOne = static_cast<double>(JctOf(scenario));
    ++profile.layers.front().parameters;
    EXPECT_LT(static_cast<double>(JctOf(scenario)), 1.03 * inOne);
}

TEST(RingRun, AStragglerWhoseNeighbourHasToWaitStopsNobodyForEver)
{
    Scenario scenario = MakeRing(4, 500);
    scenario.systems.of<ina::systems::AllReduce<ina::schedules::Ring>>().worker.receive_buffer = 16;
    scenario.jobs.front().jitter.range = {0, 500 * US};
    scenario.jobs.front().iterations = 5;
    EXPECT_EQ(RunAlone(scenario).jobs.front().status, ina::cluster::JobStatus::finished);
}

/** Share of frames that exceed the marking threshold in front of a host with a slow link. */
double
MarkedBeforeASlowHost(bool congestionControl)
{
    Scenario scenario = MakeRing(8, 2000);
    scenario.topology.links.resize(1);
    scenario.topology.links.front().link = "host3";
    scenario.topology.links.front().rate_bps = scenario.topology.link.rate_bps / 4;
    ina::CongestionWindow::Config& window =
        scenario.systems.of<ina::systems::AllReduce<ina::schedules::Ring>>().worker.window;
    window.initial_packets = 100;
    window.enabled = congestionControl;
    const InaRunResult result = RunAlone(scenario);
    for (const LinkRow& link : result.links)
    {
        if (link.link == "switch>host3")
        {
            return static_cast<double>(*link.marked) / static_cast<double>(link.frames_sent);
        }
    }
    return -1;
}

TEST(RingRun, TheWindowFollowsMarks)
{
    const double without = MarkedBeforeASlowHost(false);
    EXPECT_GT(without, 0.4); // share of data and acknowledgement frames
    const double marked = MarkedBeforeASlowHost(true);
    EXPECT_GT(marked, 0);
    EXPECT_LT(marked, without / 2);
}

/** The job ends when its worker has computed. The sums are its own gradients, and are verified. */
TEST(AmongWorkersRun, ALoneWorkerSendsNothing)
{
    for (const System system : {system_called("ring"),
                                system_called("halving_doubling"),
                                system_called("tree"),
                                system_called("byteps")})
    {
        Scenario scenario = MakeScenario(system, 1, {MakeLayer(100, 5 * US, 10 * US)});
        scenario.jobs.front().iterations = 2;
        const InaRunResult result = RunAlone(scenario);
        EXPECT_EQ(result.jobs.front().times.count, 2U);
        EXPECT_EQ(result.jobs.front().end, 2 * 15 * US);
        EXPECT_EQ(result.packetHops, 0U);
    }
}

} // namespace
} // namespace ns3
