/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ns3-modules/ina-network/test/network-test-support.h"

#include "hw/protocol/server/dsa_server.hpp"

#include "ns3/ina-server-application.h"

#include <limits>
#include <memory>

namespace ns3
{
namespace
{

constexpr uint16_t WORKERS = 2;

class InaServerApplicationTest : public testing::TestWithParam<const char*>
{
  protected:
    void
    SetUp() override
    {
        m_link.left->SetHandler(&m_network);
        m_link.right->GetNode()->AddApplication(m_server);
        m_server->SetRunAhead(true); // as in a cluster
        Install();
    }

    void
    Install()
    {
        m_server->Install(m_link.right,
                          std::make_unique<ina::DsaServer>(ina::ServerIdentity{3, WORKERS, 9, 10},
                                                           ina::DsaServer::Config{},
                                                           m_pool));
    }

    static ina::Frame
    Gradient(uint16_t rank, ina::JobId job = 3)
    {
        ina::Frame frame = MakeFrame(5, 9);
        frame.job = job;
        frame.worker = rank;
        frame.aggregator().bitmap0 = 1U << rank;
        frame.aggregator().fan_in_degree0 = WORKERS;
        return frame;
    }

    FreshSimulator m_fresh{GetParam()};
    ina::ValuePool m_pool{0};
    TestLink m_link;
    Recorder m_network;
    Ptr<InaServerApplication> m_server{CreateObject<InaServerApplication>()};
};

INSTANTIATE_TEST_SUITE_P(Simulators,
                         InaServerApplicationTest,
                         testing::ValuesIn(SIMULATORS),
                         NameOfSimulator);

TEST_P(InaServerApplicationTest, ARestartForgetsWhatItHeld)
{
    m_server->HoldAt(Picoseconds(5'000'000));
    Simulator::Schedule(Picoseconds(5'000'000), [this]() { m_server->Stop(); });
    m_server->HoldAt(Picoseconds(6'000'000));
    Simulator::Schedule(Picoseconds(6'000'000), [this]() { Install(); });
    m_link.left->PutFrame(Gradient(0), 0);
    m_link.left->PutFrame(Gradient(0, 4), 0); // frame of another job
    m_link.left->PutFrame(Gradient(1), 7'000'000);
    Simulator::Stop(Picoseconds(12'000'000));
    Simulator::Run();
    EXPECT_TRUE(m_network.Arrivals().empty()) << "the second contribution completes nothing";
    EXPECT_EQ(m_server->GetServer().open_entries(), 1U);
    EXPECT_EQ(m_server->GetRejectedFrames(), 1U);
}

TEST_P(InaServerApplicationTest, AnswersAsSoonAsAllContributionsAreIn)
{
    m_link.left->PutFrame(Gradient(0), 0);
    m_link.left->PutFrame(Gradient(1), 0);
    Simulator::Run();
    const int64_t in = 2 * GRADIENT_PS + DELAY_PS;
    ASSERT_EQ(m_network.Arrivals(), (std::vector<Arrival>{{in + GRADIENT_PS + DELAY_PS, 5}}));
    EXPECT_EQ(m_network.Frames()[0].kind, ina::FrameKind::result);
    EXPECT_EQ(m_network.Frames()[0].destination, ina::kAllWorkers);
    EXPECT_EQ(m_server->GetServer().open_entries(), 0U);
}

TEST_P(InaServerApplicationTest, RemindsTheSwitchWhenAContributionDoesNotCome)
{
    constexpr int64_t TIMEOUT = 1'000'000'000; // 1 ms
    m_link.left->PutFrame(Gradient(0), 0);
    m_link.left->PutFrame(Gradient(1), TIMEOUT * 3 / 2);
    Simulator::Run();
    const int64_t in = GRADIENT_PS + DELAY_PS;
    ASSERT_EQ(m_network.Frames().size(), 2U);
    EXPECT_EQ(m_network.Frames()[0].kind, ina::FrameKind::reminder);
    EXPECT_EQ(m_network.Arrivals()[0], (Arrival{in + TIMEOUT + GRADIENT_PS + DELAY_PS, 5}));
    EXPECT_EQ(m_network.Frames()[1].kind, ina::FrameKind::result);
    EXPECT_EQ(m_server->GetServer().statistics().reminders, 1U);
}

TEST_P(InaServerApplicationTest, CountsAndDropsRejectedFrames)
{
    m_link.left->PutFrame(Gradient(0, 4), 0);
    Simulator::Run();
    EXPECT_TRUE(m_network.Arrivals().empty());
    EXPECT_EQ(m_server->GetServer().statistics().rejected_frames, 1U);
    EXPECT_EQ(m_server->GetServer().open_entries(), 0U);
}

TEST_P(InaServerApplicationTest, IsQuietUntilItsDeadline)
{
    EXPECT_EQ(m_server->QuietUntil(3), std::numeric_limits<int64_t>::max());
    m_link.left->PutFrame(Gradient(0), 0);
    Simulator::Stop(Picoseconds(DELAY_PS + GRADIENT_PS + 1));
    Simulator::Run();
    EXPECT_EQ(m_server->QuietUntil(DELAY_PS + GRADIENT_PS + 1),
              DELAY_PS + GRADIENT_PS + 1'000'000'000);
}

} // namespace
} // namespace ns3
