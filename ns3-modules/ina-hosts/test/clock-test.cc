/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// The simulator's clock during user callbacks, and events that these schedule.
#include "hosts-test-support.h"

#include "ns3-modules/ina-network/test/network-test-support.h"

#include "ns3/boolean.h"
#include "ns3/ina-host-helper.h"
#include "ns3/ina-link-helper.h"
#include "ns3/ina-switch-helper.h"
#include "ns3/ina-system.h"
#include "ns3/object-factory.h"

#include <algorithm>
#include <array>
#include <memory>
#include <tuple>
#include <vector>

namespace ns3
{
namespace
{

constexpr ina::JobId JOB = 0;
constexpr uint16_t WORKERS = 2;
constexpr ina::HostId SERVER = WORKERS;
constexpr uint32_t FRAGMENTS = 300;
constexpr uint32_t TENSORS = 3;
const Time PAUSE = MicroSeconds(1); // between the end of a tensor and the next one

/** A user's worker: schedules the next tensor when it has all results of one. */
class User : public ina::GradientSource, public ina::ResultSink
{
  public:
    void
    read(ina::Psn, std::span<int32_t> out) const override
    {
        std::ranges::fill(out, 1);
    }

    void
    fragment_complete(const ina::Frame&, const ina::Delivery&, ina::Time now) override
    {
        wrongClocks += Simulator::Now().GetTimeStep() == now.count() ? 0 : 1;
    }

    void
    tensor_complete(ina::Psn, ina::Time now) override
    {
        wrongClocks += Simulator::Now().GetTimeStep() == now.count() ? 0 : 1;
        ends.push_back(now.count());
        if (ends.size() < TENSORS)
        {
            Simulator::Schedule(PAUSE, &User::Submit, this);
        }
    }

    void
    Submit()
    {
        begins.push_back(Simulator::Now().GetTimeStep());
        ina::Tensor tensor;
        tensor.first_psn = m_submitted * FRAGMENTS;
        tensor.fragments = FRAGMENTS;
        tensor.source = this;
        ++m_submitted;
        application->Submit(tensor);
    }

    Ptr<InaWorkerApplication> application;
    std::vector<int64_t> begins;
    std::vector<int64_t> ends;
    std::size_t wrongClocks{0};

  private:
    uint32_t m_submitted{0};
};

/** Two workers, a server and a switch of ATP, created by the helpers with default values. */
class UsersCluster
{
  public:
    UsersCluster(const char* simulator, bool isTraced) : m_fresh(simulator)
    {
        const auto atp = ObjectFactory("ns3::InaAtpSystem", "Aggregators", UintegerValue(1000))
                             .Create<InaSystem>();
        InaSwitchHelper switches;
        switches.SetProgram([&]() { return atp->MakeProgram(1, m_pool.count()); });
        const Ptr<InaSwitch> inaSwitch = switches.Install(CreateObject<Node>());
        NodeContainer workers(WORKERS);
        NodeContainer servers(1);
        const NetDeviceContainer devices =
            InaSwitchHelper::Connect(inaSwitch,
                                     NodeContainer(workers, servers),
                                     InaLinkHelper(ina::wire::Format::atp));
        const InaJob job{.id = JOB, .workers = {0, 1}, .servers = {SERVER}};
        const InaHostHelper hosts(atp, m_pool);
        hosts.InstallJob(inaSwitch, job);
        hosts.InstallServers(job, servers, TENSORS * FRAGMENTS);
        const ApplicationContainer applications =
            hosts.InstallWorkers(job,
                                 workers,
                                 [this](uint16_t rank) -> ina::ResultSink& { return users[rank]; });
        for (uint16_t rank = 0; rank < WORKERS; ++rank)
        {
            users[rank].application = DynamicCast<InaWorkerApplication>(applications.Get(rank));
            Simulator::Schedule(Time(0), &User::Submit, &users[rank]);
        }
        if (isTraced)
        {
            Trace(*devices.Get(0));
            Trace(*inaSwitch);
        }
        Simulator::Run();
    }

    std::array<User, WORKERS> users;
    std::size_t traced{0};

  private:
    void
    Trace(NetDevice& device)
    {
        device.TraceConnectWithoutContext(
            "Rx",
            Callback<void, const ina::Frame&>([this](const ina::Frame&) { ++traced; }));
    }

    void
    Trace(InaSwitch& inaSwitch)
    {
        inaSwitch.TraceConnectWithoutContext(
            "AggregatorCompleted",
            Callback<void, uint16_t, uint32_t, uint32_t>([this](uint16_t, uint32_t, uint32_t)
                                                         { ++traced; }));
    }

    FreshSimulator m_fresh;
    ina::ValuePool m_pool{ina::wire::kFragmentValues};
};

class UsersClockTest : public testing::TestWithParam<const char*>
{
};

INSTANTIATE_TEST_SUITE_P(Simulators,
                         UsersClockTest,
                         testing::ValuesIn(SIMULATORS),
                         NameOfSimulator);

TEST_P(UsersClockTest, IsRightInEverythingThatTheTransportCalls)
{
    const UsersCluster cluster(GetParam(), false);
    for (const User& user : cluster.users)
    {
        EXPECT_EQ(user.wrongClocks, 0U);
    }
}

TEST_P(UsersClockTest, ATensorThatIsScheduledWhenOneHasEndedBeginsAfterIt)
{
    const UsersCluster cluster(GetParam(), false);
    for (const User& user : cluster.users)
    {
        ASSERT_EQ(user.ends.size(), TENSORS);
        ASSERT_EQ(user.begins.size(), TENSORS);
        for (uint32_t tensor = 1; tensor < TENSORS; ++tensor)
        {
            EXPECT_EQ(user.begins[tensor], user.ends[tensor - 1] + PAUSE.GetTimeStep());
        }
    }
}

TEST_P(UsersClockTest, NothingMovesIfSomebodyTraces)
{
    const UsersCluster untraced(GetParam(), false);
    std::array<std::vector<int64_t>, WORKERS> ends;
    for (uint16_t rank = 0; rank < WORKERS; ++rank)
    {
        ends[rank] = untraced.users[rank].ends;
    }
    Simulator::Destroy();
    const UsersCluster traced(GetParam(), true);
    EXPECT_EQ(traced.traced, 2 * TENSORS * FRAGMENTS) << "results at a host, aggregators";
    for (uint16_t rank = 0; rank < WORKERS; ++rank)
    {
        EXPECT_EQ(traced.users[rank].ends, ends[rank]);
    }
}

TEST(UsersClockTest, IsTheSameUnderBothImplementationsOfTheSimulator)
{
    const std::vector<int64_t> ends = UsersCluster(SIMULATORS[0], false).users[0].ends;
    EXPECT_EQ(UsersCluster(SIMULATORS[1], false).users[0].ends, ends);
}

TEST_P(UsersClockTest, AWorkerThatHasStoppedOrPausesSendsNothing)
{
    const FreshSimulator fresh(GetParam());
    ina::ValuePool pool(0);
    const TestLink link;
    User user;
    const auto dsa = ObjectFactory("ns3::InaDsaSystem").Create<InaSystem>();
    const auto applications =
        InaHostHelper(dsa, pool).InstallWorkers({.id = JOB, .workers = {0}, .servers = {1}},
                                                NodeContainer(link.left->GetNode()),
                                                [&](uint16_t) -> ina::ResultSink& { return user; });
    user.application = DynamicCast<InaWorkerApplication>(applications.Get(0));
    user.application->Pause(MicroSeconds(5));
    Simulator::Schedule(MicroSeconds(1), &User::Submit, &user);
    Simulator::Schedule(MicroSeconds(4),
                        [&]() { EXPECT_EQ(link.left->GetCounters().framesSent, 0U); });
    Simulator::Schedule(MicroSeconds(5), &InaWorkerApplication::Resume, user.application);
    uint64_t sent = 0;
    Simulator::Schedule(MicroSeconds(6),
                        [&]()
                        {
                            sent = link.left->GetCounters().framesSent;
                            EXPECT_GT(sent, 0U);
                            user.application->Stop();
                            user.Submit();
                        });
    Simulator::Run();
    EXPECT_EQ(link.left->GetCounters().framesSent, sent);
}

/** A link whose left end is a worker that has handled a frame ahead of the clock. */
class RunAheadDeathTest : public testing::Test
{
  protected:
    void
    SubmitAfterFrames(bool runsAhead)
    {
        const TestLink link;
        const auto worker = CreateObject<InaWorkerApplication>();
        link.left->GetNode()->AddApplication(worker);
        worker->SetAttribute("RunAhead", BooleanValue(runsAhead));
        worker->Install<SilentTransport>(link.left);
        link.right->PutFrame(MakeFrame(0), 0);
        link.right->PutFrame(MakeFrame(1), 1'000'000);
        User source;
        Simulator::Schedule(Picoseconds(DELAY_PS + GRADIENT_PS + 500'000),
                            [&]()
                            {
                                ina::Tensor tensor;
                                tensor.fragments = 1;
                                tensor.source = &source;
                                worker->Submit(tensor);
                            });
        Simulator::Run();
    }

    FreshSimulator m_fresh;
};

TEST_F(RunAheadDeathTest, RefusesATensorBeforeWhatItHasHandled)
{
    EXPECT_DEATH(SubmitAfterFrames(true), "has already handled arrivals until 3524480 ps");
}

TEST_F(RunAheadDeathTest, ByDefaultItHasHandledNothingThatComesLater)
{
    SubmitAfterFrames(false);
}

} // namespace
} // namespace ns3
