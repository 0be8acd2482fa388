/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

/** Every system with workers and parameter servers that share hosts. Run() verifies every sum, that
 * no switch holds an aggregator, and the balance of every link. */
#include "cluster-test-support.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

using ina::faults::NodeFault;

using Hosts = std::vector<uint32_t>;

class PlacesRunTest : public testing::TestWithParam<System>
{
  protected:
    /** One job without computation for each list of hosts, on one switch. */
    static Scenario
    Make(const std::vector<Hosts>& jobs, uint64_t fragments)
    {
        Scenario scenario = MakeScenario(GetParam(), 1, {MakeLayer(fragments, 0, 0)});
        const JobScenario job = scenario.jobs.front();
        scenario.jobs.clear();
        scenario.topology.hosts = 0;
        for (const Hosts& hosts : jobs)
        {
            scenario.jobs.push_back(job);
            scenario.jobs.back().hosts = hosts;
            scenario.jobs.back().workers = static_cast<uint32_t>(hosts.size());
            scenario.topology.hosts =
                std::max(scenario.topology.hosts, std::ranges::max(hosts) + 1);
        }
        scenario.topology.parameter_servers = static_cast<uint32_t>(jobs.size());
        return scenario;
    }

    /** The same with windows as wide as the network, so that every worker always has frames to
     * send. */
    static Scenario
    MakeBusy(const std::vector<Hosts>& jobs)
    {
        Scenario scenario = Make(jobs, 10'000);
        for (auto* window : {&scenario.of<ina::systems::Atp>().worker.window,
                             &scenario.of<ina::systems::Dsa>().worker.window,
                             &scenario.of<ina::systems::Ps>().worker.window})
        {
            window->enabled = false;
            window->initial_packets = 600;
        }
        return scenario;
    }

    /** Jobs of 5, 3 and 2 workers on three hosts. Two servers share a host, the third one is next
     * to workers, and aggregators are so few that they collide. */
    static Scenario
    MakeCrowded(uint64_t seed = 1)
    {
        Scenario scenario = Make({{0, 0, 1, 2, 1}, {1, 2, 1}, {2, 0}}, 200);
        scenario.topology.parameter_servers = 1;
        scenario.switch_.memory_bytes = 40'000;
        scenario.seed = seed;
        scenario.jobs[0].servers = {"ps0"};
        scenario.jobs[1].servers = {"ps0"};
        scenario.jobs[2].servers = {"host1"};
        scenario.jobs[0].jitter.range = {0, 30 * US};
        return scenario;
    }

    static void
    ExpectNothingAstray(const InaRunResult& result)
    {
        EXPECT_EQ(result.switchRejectedFrames, 0U);
        for (const JobRow& job : result.jobs)
        {
            EXPECT_EQ(job.status, ina::cluster::JobStatus::finished);
            EXPECT_EQ(job.rejected_frames, 0U); // frames of other jobs would count as rejected
        }
    }
};

INSTANTIATE_TEST_SUITE_P(Every,
                         PlacesRunTest,
                         testing::ValuesIn(ina::testing::every_system()),
                         NameOfSystem);

/** Counts the frames per job that a device sends, until one job has sent `most`. */
class FramesOfJobs
{
  public:
    FramesOfJobs(uint64_t most, const InaCluster& cluster, const Ptr<InaNetDevice>& device) :
        m_most(most), m_control(cluster.control)
    {
        device->TraceConnectWithoutContext("Tx", MakeCallback(&FramesOfJobs::Count, this));
    }

    double
    ShareOf(uint16_t job) const
    {
        uint64_t all = 0;
        for (const auto& [other, frames] : m_frames)
        {
            all += frames;
        }
        return static_cast<double>(m_frames.at(job)) / static_cast<double>(all);
    }

  private:
    void
    Count(const ina::Frame& frame)
    {
        if (!m_full)
        {
            m_full = ++m_frames[m_control->GetJob(frame.job).value()] == m_most;
        }
    }

    uint64_t m_most;
    bool m_full{false};
    Ptr<InaControlPlane> m_control;
    std::map<uint16_t, uint64_t> m_frames; //!< by job
};

TEST_P(PlacesRunTest, TwoBusyWorkersOnAHostHaveHalfOfItsLinkEach)
{
    const Scenario scenario = MakeBusy({{0, 1}, {0, 1}});
    const InaOwnSimulator simulator(scenario);
    InaClusterRun run(scenario);
    const InaCluster& cluster = run.Build();
    const FramesOfJobs frames(8'000, cluster, cluster.links[0].host);
    ExpectNothingAstray(run.Run());
    EXPECT_NEAR(frames.ShareOf(0), 0.5, 0.005);
    EXPECT_NEAR(frames.ShareOf(1), 0.5, 0.005);
}

/** The links of the other jobs have enough capacity. */
TEST_P(PlacesRunTest, AJobWithTwoOfThreeWorkersOnAHostHasTwoThirdsOfItsLink)
{
    if (ina::cluster::traits_of(GetParam()).sends_among_workers())
    {
        GTEST_SKIP() << "a job has two workers at least";
    }
    const Scenario scenario = MakeBusy({{0, 0}, {0}});
    const InaOwnSimulator simulator(scenario);
    InaClusterRun run(scenario);
    const InaCluster& cluster = run.Build();
    const FramesOfJobs frames(8'000, cluster, cluster.links[0].host);
    ExpectNothingAstray(run.Run());
    EXPECT_NEAR(frames.ShareOf(0), 2.0 / 3, 0.01);
}

TEST_P(PlacesRunTest, ALinkThatIsSharedIsNeverIdleWhileThereIsSomethingToSend)
{
    const InaRunResult result = RunAlone(MakeBusy({{0, 1}, {0, 1}}));
    const auto& link = result.links[0];
    ASSERT_EQ(link.link, "host0>switch");
    const double busyPs = static_cast<double>(link.bytes_sent) * 8 * 10; // at 100 Gbps
    for (const JobRow& job : result.jobs)
    {
        EXPECT_NEAR(static_cast<double>(*job.end) / busyPs, 1, 0.04);
    }
}

TEST_P(PlacesRunTest, JobsOnSharedHostsEnd)
{
    const InaRunResult result = RunAlone(MakeCrowded());
    ExpectNothingAstray(result);
    uint64_t packets = 0;
    for (const JobRow& job : result.jobs)
    {
        packets += job.packets_sent;
    }
    uint64_t frames = 0;
    for (const auto& [link, sent] : FramesByLink(result))
    {
        frames += link.ends_with(">switch") ? sent : 0;
    }
    EXPECT_EQ(packets, frames); // each counts for its sender
}

TEST_P(PlacesRunTest, EverySumIsExactWhateverGetsLost)
{
    for (uint64_t seed = 1; seed <= 10; ++seed)
    {
        ExpectAllToFinishWithLosses(MakeCrowded(seed));
    }
}

TEST_P(PlacesRunTest, BothEnginesAgree)
{
    Scenario scenario = MakeCrowded();
    scenario.jobs[1].iterations = 3;
    scenario.faults.links = {Losses("all")};
    scenario.faults.nodes = {Fault(NodeFault::worker_pauses, 5 * US, 50 * US, 0, 1),
                             Fault(NodeFault::switch_reboots, 30 * US, 50 * US, 0, 0),
                             Fault(NodeFault::worker_returns, 50 * US, 200 * US, 1, 0)};
    if (scenario.hosts().traits().has_servers)
    {
        scenario.faults.nodes.push_back(Fault(NodeFault::server_restarts, 40 * US, 100 * US, 2, 0));
    }
    ExpectBothEnginesAgree(scenario);
}

TEST_P(PlacesRunTest, AJobThatIsKilledLeavesTheHostToTheOthers)
{
    ExpectTheOthersToFinishWithoutTheFirst(MakeCrowded(), 20 * US);
}

/** Two workers on each of two hosts. */
TEST_P(PlacesRunTest, AResultForAllWorkersGoesOnceToAHost)
{
    if (ina::cluster::traits_of(GetParam()).sends_among_workers())
    {
        GTEST_SKIP() << "no frame is for all workers";
    }
    Scenario scenario = Make({{0, 0, 1, 1}}, 300);
    scenario.switch_.memory_bytes = 16'384 * scenario.switches().aggregator_bytes();
    if (GetParam() == system_called("switchml"))
    {
        scenario.jobs[0].profile.layers = {MakeLayer(300, 0, 0, 32)};
    }
    const auto frames = FramesByLink(RunAlone(scenario));
    EXPECT_EQ(frames.at("host0>switch"), 600U);
    EXPECT_EQ(frames.at("switch>host0"), scenario.hosts().traits().has_aggregators ? 300U : 600U);
}

TEST_P(PlacesRunTest, WorkersTakeTheHostsThatTheirJobNamesAndTheOthersTheRest)
{
    Scenario scenario = Make({{5, 3}, {0}}, 100);
    scenario.jobs[1].hosts.reset();
    scenario.jobs[1].workers = 4;
    scenario.jobs[0].servers = {"ps1"};
    const auto frames = FramesByLink(RunAlone(scenario));
    for (const char* link : {"host0", "host1", "host2", "host3", "host4", "host5"})
    {
        EXPECT_GT(frames.at(std::string(link) + ">switch"), 0U) << link;
    }
    EXPECT_EQ(frames.at("ps0>switch"), 0U);
}

/** In the racks of a leaf-spine network and at its spines, sharing hosts and alone. */
TEST_P(PlacesRunTest, EverySumIsExactInRacksWhateverGetsLost)
{
    for (uint64_t seed = 1; seed <= 5; ++seed)
    {
        Scenario scenario = Make({{0, 1, 2, 6, 0, 2, 7}, {2, 6, 6}}, 200);
        scenario.topology.type = TopologyType::leaf_spine;
        scenario.topology.racks = 4;
        scenario.topology.hosts_per_rack = 2;
        scenario.topology.parameter_servers = 1;
        scenario.jobs[1].servers = {"host7"};
        scenario.seed = seed;
        scenario.faults.links = {Losses("all")};
        const InaRunResult result = RunAlone(scenario);
        EXPECT_EQ(result.jobs[0].status, ina::cluster::JobStatus::finished) << "seed " << seed;
        EXPECT_EQ(result.jobs[1].status, ina::cluster::JobStatus::finished) << "seed " << seed;
    }
}

} // namespace
} // namespace ns3
