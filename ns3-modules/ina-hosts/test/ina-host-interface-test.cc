/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ns3-modules/ina-network/test/network-test-support.h"

#include "hw/protocol/transport/interface_queue.hpp"

#include "ns3/ina-host-application.h"
#include "ns3/ina-host-interface.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace ns3
{
namespace
{

using testing::ElementsAre;

/** Sends frames numbered from `first` on, and records arrivals. */
class Talker : public InaHostApplication
{
  public:
    void
    Install(Ptr<InaNetDevice> device)
    {
        Begin(device);
    }

    /** Adds frames to send. */
    void
    Say(uint32_t frames, int64_t ts)
    {
        m_left += frames;
        SharedInterface()->Pump(ts);
    }

    void
    HandleFrame(InaNetDevice& device, ina::Frame& frame, int64_t ts) override
    {
        m_heard.HandleFrame(device, frame, ts);
    }

    std::vector<ina::Psn>
    Heard() const
    {
        std::vector<ina::Psn> psns;
        for (const Arrival& arrival : m_heard.Arrivals())
        {
            psns.push_back(arrival.psn);
        }
        return psns;
    }

    ina::Psn first{0};

  private:
    bool
    SendOne(int64_t ts) override
    {
        if (m_left == 0)
        {
            return false;
        }
        --m_left;
        return Device().SendMade(ts,
                                 [this](ina::Frame& frame)
                                 {
                                     frame = MakeFrame(first++);
                                     return true;
                                 });
    }

    void
    Expire(int64_t ts) override
    {
        SharedInterface()->Pump(ts);
    }

    uint32_t m_left{0};
    Recorder m_heard;
};

/** Three applications with the addresses 7, 8 and 9 on the right device. */
class InaHostInterfaceTest : public testing::TestWithParam<const char*>
{
  protected:
    void
    SetUp() override
    {
        m_link.left->SetHandler(&m_network);
        const auto interface = Create<InaHostInterface>(m_link.right);
        ina::HostId address = 7;
        for (const auto& talker : m_talkers)
        {
            talker->first = 10'000U * address;
            m_link.right->GetNode()->AddApplication(talker);
            talker->SetRunAhead(true); // as in a cluster
            talker->Share(interface, address++);
            talker->Install(m_link.right);
        }
    }

    std::vector<ina::Psn>
    Sent() const
    {
        std::vector<ina::Psn> psns;
        for (const Arrival& arrival : m_network.Arrivals())
        {
            psns.push_back(arrival.psn);
        }
        return psns;
    }

    void
    Deliver(ina::Psn psn, ina::HostId destination, ina::JobId job = 0)
    {
        ina::Frame frame = MakeFrame(psn, destination);
        frame.job = job;
        m_link.left->PutFrame(std::move(frame), 0);
    }

    FreshSimulator m_fresh{GetParam()};
    TestLink m_link;
    Recorder m_network;
    std::vector<Ptr<Talker>> m_talkers{CreateObject<Talker>(),
                                       CreateObject<Talker>(),
                                       CreateObject<Talker>()};
};

INSTANTIATE_TEST_SUITE_P(Simulators,
                         InaHostInterfaceTest,
                         testing::ValuesIn(SIMULATORS),
                         NameOfSimulator);

TEST_P(InaHostInterfaceTest, WhoHasSomethingSendsInTurnsAndTheLineIsNeverIdle)
{
    constexpr uint32_t MANY = 1000;
    m_talkers[0]->Say(MANY, 0);
    m_talkers[2]->Say(MANY, 0);
    Simulator::Run();
    const std::vector<ina::Psn> sent = Sent();
    ASSERT_EQ(sent.size(), 2 * MANY);
    // Frames that the first application queued while it was alone leave first.
    const std::size_t ahead = ina::kInterfaceQueueBytes / GRADIENT_BYTES + 1;
    EXPECT_EQ(sent[ahead - 1], 70'000 + ahead - 1);
    for (std::size_t i = ahead; i < 2 * (MANY - ahead); ++i)
    {
        EXPECT_EQ(sent[i] >= 90'000, (i - ahead) % 2 == 0) << i;
    }
    EXPECT_EQ(m_network.Arrivals().back().ts, 2 * MANY * GRADIENT_PS + DELAY_PS);
    EXPECT_EQ(m_talkers[0]->GetFramesSent(), MANY);
    EXPECT_EQ(m_talkers[1]->GetFramesSent(), 0U);
}

TEST_P(InaHostInterfaceTest, WhoComesLateWaitsForNoMoreThanTheInterfaceQueue)
{
    m_talkers[0]->Say(1000, 0);
    const int64_t late = 100 * GRADIENT_PS;
    Simulator::Schedule(Picoseconds(late), [this, late]() { m_talkers[1]->Say(1, late); });
    Simulator::Run();
    const std::vector<ina::Psn> sent = Sent();
    const auto at = std::ranges::find(sent, 80'000U) - sent.begin();
    EXPECT_GE(at, 100);
    EXPECT_LE(at, 100 + ina::kInterfaceQueueBytes / GRADIENT_BYTES + 2);
}

TEST_P(InaHostInterfaceTest, AFrameGoesToTheAddressThatItNames)
{
    Deliver(1, 8);
    Deliver(2, 7);
    Deliver(3, 6); // unknown address
    Simulator::Run();
    EXPECT_THAT(m_talkers[0]->Heard(), ElementsAre(2));
    EXPECT_THAT(m_talkers[1]->Heard(), ElementsAre(1));
    EXPECT_TRUE(m_talkers[2]->Heard().empty());
    EXPECT_EQ(m_talkers[1]->GetFramesReceived(), 1U);
}

TEST_P(InaHostInterfaceTest, AFrameForEveryWorkerGoesToThoseOfItsJob)
{
    m_talkers[0]->JoinGroup(4);
    m_talkers[1]->JoinGroup(5);
    m_talkers[1]->JoinGroup(4); // replaces 5
    Deliver(1, ina::kAllWorkers, 4);
    Deliver(2, ina::kAllWorkers, 5);
    Deliver(3, ina::kAllWorkers, 0); // the third application is not a worker of the job
    Simulator::Run();
    EXPECT_THAT(m_talkers[0]->Heard(), ElementsAre(1));
    EXPECT_THAT(m_talkers[1]->Heard(), ElementsAre(1));
    EXPECT_TRUE(m_talkers[2]->Heard().empty());
}

TEST_P(InaHostInterfaceTest, WhoPausesOrHasStoppedHoldsUpNobody)
{
    m_talkers[0]->Pause(Picoseconds(1'000'000));
    m_talkers[1]->Stop();
    m_talkers[0]->Say(1, 0);
    m_talkers[1]->Say(1, 0);
    m_talkers[2]->Say(1, 0);
    Deliver(1, 7);
    Deliver(2, 8);
    m_talkers[0]->HoldAt(Picoseconds(4'000'000));
    Simulator::Schedule(Picoseconds(4'000'000), [this]() { m_talkers[0]->Resume(); });
    Simulator::Run();
    EXPECT_THAT(Sent(), ElementsAre(90'000, 70'000));
    EXPECT_THAT(m_talkers[0]->Heard(), ElementsAre(1)) << "when it went on";
    EXPECT_TRUE(m_talkers[1]->Heard().empty());
}

} // namespace
} // namespace ns3
