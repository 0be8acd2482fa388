/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

/** Jobs with several parameter servers. Run() verifies every sum, that no switch holds an
 * aggregator, and the balance of every link. */
#include "cluster-test-support.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{

using namespace ina::scenarios;
namespace
{

using ina::faults::NodeFault;

std::vector<System>
SystemsWithServers()
{
    std::vector<System> systems = ina::testing::every_system();
    std::erase_if(systems,
                  [](System system) { return !ina::cluster::traits_of(system).has_servers; });
    return systems;
}

class SeveralServersRunTest : public testing::TestWithParam<System>
{
  protected:
    /** One job of four workers. */
    static Scenario
    Make(uint64_t fragments, const std::vector<std::string>& servers)
    {
        Scenario scenario = MakeScenario(GetParam(), 4, {MakeLayer(fragments, 0, 0)});
        scenario.topology.parameter_servers = 4;
        scenario.jobs[0].servers = servers;
        return scenario;
    }

    /** The same with one aggregator, on which nearly all packets collide and go to servers. */
    static Scenario
    MakeCollide(uint64_t fragments, const std::vector<std::string>& servers)
    {
        Scenario scenario = Make(fragments, servers);
        scenario.switch_.memory_bytes = 248;
        scenario.jobs[0].jitter.range = {0, 30 * US};
        for (auto* addressing : {&scenario.of<ina::systems::Atp>().worker.addressing,
                                 &scenario.of<ina::systems::Dsa>().worker.addressing})
        {
            addressing->scheme = ina::wire::AddressingScheme::hash;
        }
        return scenario;
    }

    /** Two jobs of three workers. Servers are on separate hosts, share a host, or are next to
     * workers. Aggregators are so few that they collide. */
    static Scenario
    MakeCrowded(uint64_t seed = 1)
    {
        Scenario scenario = Make(300, {"ps0", "host1", "ps1"});
        scenario.jobs[0].workers = 3;
        scenario.jobs[0].jitter.range = {0, 30 * US};
        scenario.jobs.push_back(scenario.jobs[0]);
        scenario.jobs[1].servers = {"ps0", "host0"};
        scenario.topology.hosts = 6;
        scenario.topology.parameter_servers = 2;
        scenario.switch_.memory_bytes = 40'000;
        scenario.seed = seed;
        return scenario;
    }

    static int64_t
    JctOf(const Scenario& scenario)
    {
        return *RunAlone(scenario).jobs[0].end;
    }
};

INSTANTIATE_TEST_SUITE_P(Every,
                         SeveralServersRunTest,
                         testing::ValuesIn(SystemsWithServers()),
                         NameOfSystem);

TEST_P(SeveralServersRunTest, EachGetsItsShareOfThePackets)
{
    const Scenario scenario = MakeCollide(640, {"ps0", "ps1", "ps3"});
    const InaRunResult result = RunAlone(scenario);
    const auto frames = FramesByLink(result);
    EXPECT_EQ(result.jobs[0].rejected_frames, 0U);
    EXPECT_EQ(result.switchRejectedFrames, 0U);
    EXPECT_EQ(frames.at("switch>ps2"), 0U);
    uint64_t all = 0;
    for (const std::string link : {"switch>ps0", "switch>ps1", "switch>ps3"})
    {
        all += frames.at(link);
    }
    EXPECT_GT(all, 600U);
    for (const std::string link : {"switch>ps0", "switch>ps1", "switch>ps3"})
    {
        EXPECT_NEAR(static_cast<double>(frames.at(link)),
                    static_cast<double>(all) / 3,
                    static_cast<double>(all) / 10)
            << link;
    }
    // Packets of all its servers, and results. A worker of DSA also receives reminders.
    EXPECT_GE(result.jobs[0].packets_received, all + 4 * 640);
}

TEST_P(SeveralServersRunTest, EverySumIsExactWhateverGetsLost)
{
    for (uint64_t seed = 1; seed <= 10; ++seed)
    {
        ExpectAllToFinishWithLosses(MakeCrowded(seed));
    }
}

TEST_P(SeveralServersRunTest, BothEnginesAgreeAlsoWhenServersRestartAndPause)
{
    Scenario scenario = MakeCrowded();
    scenario.jobs[0].iterations = 3;
    scenario.faults.links = {Losses("all")};
    scenario.faults.nodes = {FaultOfServer(NodeFault::server_restarts, 20 * US, 100 * US, 0, 2),
                             FaultOfServer(NodeFault::server_pauses, 30 * US, 50 * US, 1, 1),
                             Fault(NodeFault::worker_returns, 50 * US, 200 * US, 0, 0)};
    ExpectBothEnginesAgree(scenario);
}

TEST_P(SeveralServersRunTest, OneThatIsSilentDelaysItsShareOnly)
{
    Scenario scenario = MakeCollide(640, {"ps0", "ps1"});
    const int64_t undisturbed = JctOf(scenario);
    constexpr int64_t SILENCE = 20'000 * US;
    scenario.faults.nodes = {FaultOfServer(NodeFault::server_restarts, 5 * US, SILENCE, 0, 1)};
    const InaOwnSimulator simulator(scenario);
    InaClusterRun run(scenario);
    InaCluster& cluster = run.Build();
    uint64_t ofTheOther = 0;
    cluster.links[4].port->TraceConnectWithoutContext("Tx",
                                                      Callback<void, const ina::Frame&>(
                                                          [&](const ina::Frame& frame)
                                                          {
                                                              EXPECT_EQ(frame.psn % 2, 0U);
                                                              ++ofTheOther;
                                                          }));
    const InaRunResult result = run.Run();
    EXPECT_GT(ofTheOther, 100U);
    EXPECT_GT(result.jobs[0].end, undisturbed + SILENCE);
}

/** Servers in the racks of a leaf-spine network. */
TEST_P(SeveralServersRunTest, EverySumIsExactInRacks)
{
    for (uint64_t seed = 1; seed <= 5; ++seed)
    {
        Scenario scenario = MakeCrowded(seed);
        scenario.topology.type = TopologyType::leaf_spine;
        scenario.topology.racks = 3;
        scenario.topology.hosts_per_rack = 2;
        scenario.topology.spines = 2;
        scenario.jobs[0].servers = {"ps0", "host5", "ps1"};
        scenario.jobs[1].servers = {"ps1", "host4"};
        scenario.faults.links = {Losses("all")};
        const InaRunResult result = RunAlone(scenario);
        for (const JobRow& job : result.jobs)
        {
            EXPECT_EQ(job.status, ina::cluster::JobStatus::finished) << "seed " << seed;
        }
    }
}

/** One tensor in one partition, without values. */
Scenario
MakePsTensor(uint32_t workers, uint64_t fragments, uint32_t values)
{
    Scenario scenario = MakeOneTensor(system_called("ps"), workers, fragments, values);
    scenario.payload = Payload::none;
    scenario.of<ina::systems::Ps>().worker.values_per_packet = values;
    return scenario;
}

/** JCT of a run without retransmissions. */
int64_t
UndisturbedJct(const Scenario& scenario)
{
    const JobRow job = RunAlone(scenario).jobs[0];
    EXPECT_EQ(job.retransmissions, 0U);
    return *job.end - *job.start;
}

/** Doubles the fragments of `make(fragments)` and compares the additional time with `frames` frames
 * per fragment on the limiting line. Windows must have adapted by then. */
template <class Make>
void
ExpectFramesForAFragment(double frames, uint64_t fragments, Make&& make)
{
    const Scenario scenario = make(2 * fragments);
    const auto frame = static_cast<double>(
        ina::serialisation_time(scenario.hosts().frame_bytes(), scenario.topology.link.rate_bps)
            .count());
    const double expected = frame * static_cast<double>(fragments) * frames;
    EXPECT_NEAR(static_cast<double>(UndisturbedJct(scenario) - UndisturbedJct(make(fragments))),
                expected,
                0.02 * expected);
}

/** Workers, and servers on separate machines. */
struct PsSize
{
    uint32_t workers;
    uint32_t servers;
    uint32_t values; //!< per packet
    uint32_t fragments;
    uint32_t fixedWindow; //!< 0: DCTCP's window
};

class PsClosedForm : public testing::TestWithParam<PsSize>
{
  protected:
    static Scenario
    MakeStar(uint64_t fragments)
    {
        const PsSize size = GetParam();
        Scenario scenario = MakePsTensor(size.workers, fragments, size.values);
        scenario.topology.parameter_servers = size.servers;
        for (uint32_t server = 0; server < size.servers; ++server)
        {
            scenario.jobs[0].servers.push_back("ps" + std::to_string(server));
        }
        if (size.fixedWindow != 0)
        {
            auto& window = scenario.of<ina::systems::Ps>().worker.window;
            window.enabled = false;
            window.initial_packets = size.fixedWindow;
        }
        return scenario;
    }

    static Scenario
    MakeLeafSpine(uint64_t fragments)
    {
        Scenario scenario = MakeStar(fragments);
        PutIntoRacks(scenario);
        ++scenario.topology.racks; // for the servers
        WidenUplinks(scenario);
        return scenario;
    }

    /** A server's line carries the packets of all workers. */
    static void
    ExpectClosedForm(Scenario (*make)(uint64_t))
    {
        const PsSize size = GetParam();
        ExpectFramesForAFragment(static_cast<double>(size.workers) / size.servers,
                                 size.fragments,
                                 make);
    }
};

// A window that follows marks has at least a few packets, which is too much with a thousand
// workers.
INSTANTIATE_TEST_SUITE_P(Sizes,
                         PsClosedForm,
                         testing::Values(PsSize{8, 1, 62, 10'000, 0},
                                         PsSize{8, 4, 364, 10'000, 0},
                                         PsSize{8, 8, 364, 10'000, 0},
                                         PsSize{64, 8, 62, 10'000, 0},
                                         PsSize{64, 8, 364, 3000, 0},
                                         PsSize{256, 16, 62, 5000, 0},
                                         PsSize{1024, 8, 62, 500, 16}),
                         [](const auto& info)
                         {
                             return std::to_string(info.param.workers) + "WorkersAnd" +
                                    std::to_string(info.param.servers) + "Servers" +
                                    std::to_string(info.param.values) + "Values";
                         });

TEST_P(PsClosedForm, OnAStar)
{
    ExpectClosedForm(MakeStar);
}

TEST_P(PsClosedForm, OnALeafSpineThatDoesNotHoldThemUp)
{
    ExpectClosedForm(MakeLeafSpine);
}

/** A server next to a worker shares its line, which carries one tensor plus n/m of one. */
TEST(SeveralServersOfPs, BesideSomeOfTheWorkersTakeWhatTheirLinesTake)
{
    ExpectFramesForAFragment(1 + 9 / 4.0,
                             10'000,
                             [](uint64_t fragments)
                             {
                                 Scenario scenario = MakePsTensor(9, fragments, 62);
                                 scenario.jobs[0].servers = {"host0", "host1", "host2", "host3"};
                                 return scenario;
                             });
}

TEST(SeveralServersOfPs, SumsOfPacketsOfAnMtuAreExact)
{
    Scenario scenario = MakeScenario(system_called("ps"), 4, {MakeLayer(300, 0, 0, 364)});
    scenario.topology.parameter_servers = 2;
    scenario.jobs[0].servers = {"ps0", "ps1"};
    scenario.jobs[0].iterations = 3;
    scenario.of<ina::systems::Ps>().worker.values_per_packet = 364;
    ExpectAllToFinishWithLosses(scenario);
}

/** Servers next to all workers share the lines with them. */
TEST(SeveralServersOfPs, BesideTheWorkersDoTheWorkOfOneWithEightLinks)
{
    Scenario scenario = MakeScenario(system_called("ps"), 8, {MakeLayer(8000, 0, 0)});
    scenario.jobs[0].servers = {"ps0"};
    const auto one = static_cast<double>(*RunAlone(scenario).jobs[0].end);
    scenario.jobs[0].servers.clear();
    for (int host = 0; host < 8; ++host)
    {
        scenario.jobs[0].servers.push_back("host" + std::to_string(host));
    }
    const auto beside = static_cast<double>(*RunAlone(scenario).jobs[0].end);
    EXPECT_GT(one / beside, 3);
    EXPECT_LT(one / beside, 4.5);
}

} // namespace
} // namespace ns3
