/* SPDX-License-Identifier: GPL-2.0-only */
/** Ring all-reduce: how long it takes beside its closed form, and what it sends; Run() verifies
 * every sum. */
#include "cluster-test-support.h"

#include "hw/protocol/wire/headers.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

constexpr uint64_t VALUES = ina::wire::kMostRingValues;
constexpr uint32_t WORKERS_OF_A_RACK = 32;

/** One tensor, of which every worker begins `perWorker` fragments. */
Scenario
MakeRing(uint32_t workers, uint32_t perWorker)
{
    Scenario scenario =
        MakeScenario(System::ring, workers, {MakeLayer(perWorker * workers, 0, 0, VALUES)});
    ina::cluster::ModelProfile& profile = scenario.jobs.front().profile;
    profile.partition_bytes = sizeof(int32_t) * profile.layers.front().parameters;
    return scenario;
}

Scenario
MakeRingOfRacks(uint32_t workers, uint32_t perWorker)
{
    Scenario scenario = MakeRing(workers, perWorker);
    scenario.topology.type = TopologyType::leaf_spine;
    scenario.topology.hosts_per_rack = std::min(WORKERS_OF_A_RACK, workers / 2);
    scenario.topology.racks = workers / scenario.topology.hosts_per_rack;
    scenario.topology.spines = 2;
    return scenario;
}

int64_t
JctOf(const Scenario& scenario)
{
    const InaJobResult job = InaClusterRun(scenario).Run().jobs.front();
    return job.end - *job.start;
}

int64_t
LinePs(const Scenario& scenario, uint64_t bytes)
{
    return ina::serialisation_time(bytes, scenario.topology.link.rate_bps).count();
}

/** Until a frame is at the next worker, over so many links. */
int64_t
HopPs(const Scenario& scenario, int64_t links)
{
    const int64_t link = LinePs(scenario, ina::frame_bytes(ina::wire::Protocol::ring, VALUES)) +
                         scenario.topology.link.delay_ps;
    return links * link + (links - 1) * scenario.switch_.pipeline_latency_ps;
}

/**
 * A ring's 2 (n - 1) steps of c frames each way (scenarios/README.md): a step lasts until the first
 * of its frames is at the next worker, or until all have gone out, each with the acknowledgement of
 * one that came. The last step's last frame arrives a hop after it went out.
 */
int64_t
ClosedForm(const Scenario& scenario, int64_t perWorker, int64_t hop, int64_t longestHop)
{
    const int64_t frame = LinePs(scenario, ina::frame_bytes(ina::wire::Protocol::ring, VALUES)) +
                          LinePs(scenario, ina::frame_bytes(ina::wire::Protocol::ring, 0));
    const int64_t steps = 2 * (int64_t{scenario.jobs.front().workers} - 1);
    return (steps - 1) * std::max(perWorker * frame, hop) + (perWorker - 1) * frame + longestHop;
}

constexpr double TOLERANCE = 0.002; // a packet and an acknowledgement meet before a line

struct Size
{
    uint32_t workers;
    uint32_t perWorker;
};

class RingClosedForm : public testing::TestWithParam<Size>
{
};

// As long as the line decides, and as long as the latency does.
INSTANTIATE_TEST_SUITE_P(Sizes,
                         RingClosedForm,
                         testing::Values(Size{8, 1000},
                                         Size{8, 5},
                                         Size{64, 100},
                                         Size{64, 5},
                                         Size{256, 50},
                                         Size{256, 2}),
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

/** Its racks' last workers send over a spine, and the others over their leaf. */
TEST(RingClosedFormOfRacks, WhereTheLineDecides)
{
    for (const uint32_t workers : {8, 64, 256})
    {
        const Scenario scenario = MakeRingOfRacks(workers, 200);
        const int64_t hop = HopPs(scenario, 4);
        const auto expected = static_cast<double>(ClosedForm(scenario, 200, hop, hop));
        EXPECT_NEAR(static_cast<double>(JctOf(scenario)), expected, TOLERANCE * expected)
            << workers << " workers";
    }
}

/** A fragment goes round twice, but for the two hops behind where it began and was completed. */
TEST(RingClosedFormOfRacks, WhereTheLatencyDecides)
{
    constexpr uint32_t WORKERS = 64;
    const Scenario scenario = MakeRingOfRacks(WORKERS, 1);
    const int64_t racks = WORKERS / WORKERS_OF_A_RACK;
    const int64_t round = (WORKERS - racks) * HopPs(scenario, 2) + racks * HopPs(scenario, 4);
    const auto expected = static_cast<double>(2 * round - 2 * HopPs(scenario, 2));
    EXPECT_NEAR(static_cast<double>(JctOf(scenario)), expected, TOLERANCE * expected);
}

TEST(RingRun, EachWayOfAWorkersLinkCarriesTwiceTheTensorButItsShare)
{
    constexpr uint32_t WORKERS = 8;
    constexpr uint32_t PER_WORKER = 100;
    const InaRunResult result = InaClusterRun(MakeRing(WORKERS, PER_WORKER)).Run();
    const auto frames = FramesByLink(result);
    const uint64_t data = 2 * (WORKERS - 1) * PER_WORKER;
    for (uint32_t host = 0; host < WORKERS; ++host)
    {
        const std::string name = "host" + std::to_string(host);
        EXPECT_EQ(frames.at(name + ">switch"), 2 * data); // as many acknowledgements
        EXPECT_EQ(frames.at("switch>" + name), 2 * data);
    }
    EXPECT_EQ(result.jobs.front().retransmissions, 0U);
    EXPECT_EQ(result.switchRejectedFrames, 0U);
}

TEST(RingRun, BothEnginesAgree)
{
    Scenario scenario = MakeRingOfRacks(16, 40);
    scenario.jobs.front().jitter.range = {0, 20 * US};
    scenario.jobs.front().iterations = 3;
    ExpectBothEnginesAgree(scenario);
    scenario.faults.links = {Losses("all")};
    ExpectBothEnginesAgree(scenario);
}

TEST(RingRun, AStragglerWhoseNeighbourHasToWaitStopsNobodyForEver)
{
    Scenario scenario = MakeRing(4, 500);
    scenario.systems.of<ina::systems::Ring>().worker.receive_buffer = 16;
    scenario.jobs.front().jitter.range = {0, 500 * US};
    scenario.jobs.front().iterations = 5;
    EXPECT_EQ(InaClusterRun(scenario).Run().jobs.front().status, ina::cluster::JobStatus::finished);
}

/** Of what waits for a host with a slow link, the share that found more than the threshold there.
 */
double
MarkedBeforeASlowHost(bool congestionControl)
{
    Scenario scenario = MakeRing(8, 2000);
    scenario.topology.links.resize(1);
    scenario.topology.links.front().link = "host3";
    scenario.topology.links.front().rate_bps = scenario.topology.link.rate_bps / 4;
    ina::CongestionWindow::Config& window = scenario.systems.of<ina::systems::Ring>().worker.window;
    window.initial_packets = 100;
    window.enabled = congestionControl;
    const InaRunResult result = InaClusterRun(scenario).Run();
    for (const InaLinkResult& link : result.links)
    {
        if (link.name == "switch>host3")
        {
            return static_cast<double>(link.sender.framesMarked) /
                   static_cast<double>(link.sender.framesSent);
        }
    }
    return -1;
}

TEST(RingRun, TheWindowFollowsMarks)
{
    const double without = MarkedBeforeASlowHost(false);
    EXPECT_GT(without, 0.4); // of packets and acknowledgements
    const double marked = MarkedBeforeASlowHost(true);
    EXPECT_GT(marked, 0);
    EXPECT_LT(marked, without / 2);
}

} // namespace
} // namespace ns3
