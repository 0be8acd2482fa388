/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "network-test-support.h"

#include "hw/protocol/prefetchable.hpp"

#include "ns3/packet.h"

#include <limits>

namespace ns3
{
namespace
{

class LinkTest : public testing::TestWithParam<const char*>
{
  protected:
    FreshSimulator m_fresh{GetParam()};
    Recorder m_recorder;

    /** Sends `frames` frames from the left to the recorder on the right, at once. */
    void
    SendBurst(const TestLink& link, ina::Psn frames, int64_t ts = 0)
    {
        link.right->SetHandler(&m_recorder);
        for (ina::Psn psn = 0; psn < frames; ++psn)
        {
            link.left->PutFrame(MakeFrame(psn), ts);
        }
    }
};

INSTANTIATE_TEST_SUITE_P(Simulators, LinkTest, testing::ValuesIn(SIMULATORS), NameOfSimulator);

TEST_P(LinkTest, AFrameArrivesAfterItsSerialisationAndTheDelay)
{
    const TestLink link;
    SendBurst(link, 1);
    Simulator::Run();
    EXPECT_EQ(m_recorder.Arrivals(), (std::vector<Arrival>{{24480 + 2500000, 0}}));
    EXPECT_EQ(m_recorder.Clocks(), (std::vector<int64_t>{24480 + 2500000}));
}

TEST_P(LinkTest, FramesFollowOneAnotherWithoutGaps)
{
    const TestLink link;
    SendBurst(link, 3);
    EXPECT_EQ(link.left->Backlog(0), 3 * GRADIENT_PS);
    EXPECT_EQ(link.left->Backlog(GRADIENT_PS), 2 * GRADIENT_PS);
    EXPECT_EQ(link.left->Backlog(100 * GRADIENT_PS), 0);
    Simulator::Run();
    EXPECT_EQ(m_recorder.Arrivals(),
              (std::vector<Arrival>{{DELAY_PS + GRADIENT_PS, 0},
                                    {DELAY_PS + 2 * GRADIENT_PS, 1},
                                    {DELAY_PS + 3 * GRADIENT_PS, 2}}));
}

TEST_P(LinkTest, WhatASinkSendsWhenAFrameEntersTheQueueLeavesBeforeThatFrame)
{
    const TestLink link;
    std::vector<int64_t> backlogs;
    struct Sender
    {
        InaNetDevice& device;
        std::vector<int64_t>& backlogs;

        void
        SendAnother(const ina::Frame& frame)
        {
            backlogs.push_back(device.Backlog(0));
            if (frame.psn == 0)
            {
                device.PutFrame(MakeFrame(1), 0);
            }
        }
    } sender{*link.left, backlogs};
    link.left->TraceConnectWithoutContext("Tx", MakeCallback(&Sender::SendAnother, &sender));
    SendBurst(link, 1);
    Simulator::Run();
    EXPECT_EQ(backlogs, (std::vector<int64_t>{0, 0})) << "without the frame itself";
    EXPECT_EQ(m_recorder.Arrivals(),
              (std::vector<Arrival>{{DELAY_PS + GRADIENT_PS, 1}, {DELAY_PS + 2 * GRADIENT_PS, 0}}));
}

TEST_P(LinkTest, AnIdleLineStartsAtOnce)
{
    const TestLink link;
    SendBurst(link, 1);
    link.left->PutFrame(MakeFrame(1), 1'000'000);
    Simulator::Run();
    EXPECT_EQ(m_recorder.Arrivals().at(1), (Arrival{1'000'000 + GRADIENT_PS + DELAY_PS, 1}));
}

TEST_P(LinkTest, FramingBytesTakeTimeOnTheLineButAreNotCounted)
{
    const TestLink link("100Gbps", 0, 24);
    SendBurst(link, 2);
    Simulator::Run();
    EXPECT_EQ(m_recorder.Arrivals(), (std::vector<Arrival>{{26400, 0}, {52800, 1}}));
    EXPECT_EQ(link.left->GetCounters().bytesSent, 2U * GRADIENT_BYTES);
}

TEST_P(LinkTest, APartOfAPicosecondCountsAsAWholeOne)
{
    const TestLink link("3Gbps", 0);
    EXPECT_EQ(link.left->SerialisationSteps(1), 2667); // exactly 2666.7
    EXPECT_EQ(link.left->SerialisationSteps(3), 8000);
    EXPECT_EQ(link.left->SerialisationSteps(1), 2667);
}

TEST_P(LinkTest, EveryRateAndSizeIsExact)
{
    const TestLink slow("10Gbps", 7);
    slow.right->SetHandler(&m_recorder);
    slow.left->PutFrame(MakeFrame(0, 0, 1500), 0);
    slow.left->PutFrame(MakeFrame(1, 0, 58), 0);
    Simulator::Run();
    EXPECT_EQ(m_recorder.Arrivals(),
              (std::vector<Arrival>{{1'200'000 + 7, 0}, {1'200'000 + 46'400 + 7, 1}}));
}

TEST_P(LinkTest, TheRingGrowsAndKeepsTheOrder)
{
    constexpr ina::Psn FRAMES = 1000;
    const TestLink link;
    SendBurst(link, 10);
    // The ring is wrapped around when it grows.
    Simulator::Stop(Picoseconds(DELAY_PS + 5 * GRADIENT_PS));
    Simulator::Run();
    const std::size_t before = m_recorder.Arrivals().size();
    EXPECT_GT(before, 0U);
    for (ina::Psn psn = 10; psn < FRAMES; ++psn)
    {
        link.left->PutFrame(MakeFrame(psn), Simulator::Now().GetTimeStep());
    }
    EXPECT_EQ(link.left->GetFramesInFlight(), FRAMES - before);
    Simulator::Run();
    ASSERT_EQ(m_recorder.Arrivals().size(), std::size_t{FRAMES});
    for (ina::Psn psn = 0; psn < FRAMES; ++psn)
    {
        ASSERT_EQ(m_recorder.Arrivals()[psn].psn, psn);
    }
    EXPECT_EQ(link.left->GetFramesInFlight(), 0U);
}

TEST_P(LinkTest, TheTwoDirectionsDoNotDisturbEachOther)
{
    const TestLink link;
    Recorder left;
    link.left->SetHandler(&left);
    SendBurst(link, 2);
    link.right->PutFrame(MakeFrame(7), 0);
    link.right->PutFrame(MakeFrame(8), 0);
    Simulator::Run();
    EXPECT_EQ(m_recorder.Arrivals(),
              (std::vector<Arrival>{{DELAY_PS + GRADIENT_PS, 0}, {DELAY_PS + 2 * GRADIENT_PS, 1}}));
    EXPECT_EQ(left.Arrivals(),
              (std::vector<Arrival>{{DELAY_PS + GRADIENT_PS, 7}, {DELAY_PS + 2 * GRADIENT_PS, 8}}));
}

/** Returns every frame to its sender. */
class Echo : public InaFrameHandler
{
  public:
    void
    HandleFrame(InaNetDevice& device, ina::Frame& frame, int64_t ts) override
    {
        device.PutFrame(std::move(frame), ts);
    }
};

TEST_P(LinkTest, AHandlerMayAnswerAtOnce)
{
    const TestLink link;
    Echo echo;
    link.right->SetHandler(&echo);
    link.left->SetHandler(&m_recorder);
    link.left->PutFrame(MakeFrame(1), 0);
    Simulator::Run();
    EXPECT_EQ(m_recorder.Arrivals(), (std::vector<Arrival>{{2 * (DELAY_PS + GRADIENT_PS), 1}}));
}

/** A recorder that records the steps in which it fetched. */
class FetchingRecorder : public Recorder, public ina::Prefetchable
{
  public:
    void
    fetch_ahead(unsigned step) const override
    {
        m_steps.push_back(step);
    }

    mutable std::vector<unsigned> m_steps;
};

TEST_P(LinkTest, TheHandlerThatIsInstalledFetchesAfterTheDeviceIfItFetchesAtAll)
{
    const TestLink link;
    FetchingRecorder fetching;
    const auto fetch = [&link]
    {
        for (unsigned step = 0; step < 4; ++step)
        {
            link.right->FetchHandling(step);
        }
    };
    link.right->SetHandler(&fetching);
    fetch();
    EXPECT_EQ(fetching.m_steps, (std::vector<unsigned>{0, 1, 2}));
    link.right->SetHandler(&m_recorder); // it does not fetch
    fetch();
    link.right->SetHandler(nullptr);
    fetch();
    EXPECT_EQ(fetching.m_steps.size(), 3U);
    link.right->SetHandler(&fetching);
    fetch();
    EXPECT_EQ(fetching.m_steps.size(), 6U);
}

TEST_P(LinkTest, CountersBalance)
{
    const TestLink link;
    SendBurst(link, 5);
    link.right->PutFrame(MakeFrame(9, 0, 58), 0);
    Simulator::Run();
    EXPECT_EQ(link.left->GetCounters().framesSent, 5U);
    EXPECT_EQ(link.left->GetCounters().bytesSent, 5U * GRADIENT_BYTES);
    EXPECT_EQ(link.right->GetCounters().framesReceived, 5U);
    EXPECT_EQ(link.right->GetCounters().bytesReceived, 5U * GRADIENT_BYTES);
    EXPECT_EQ(link.right->GetCounters().framesSent, 1U);
    EXPECT_EQ(link.left->GetCounters().bytesReceived, 58U);
    EXPECT_EQ(link.left->GetCounters().framesDropped, 0U);
}

std::vector<std::string> g_traced;

void
TraceTx(const ina::Frame& frame)
{
    g_traced.push_back("Tx " + std::to_string(frame.psn) + " at " +
                       std::to_string(Simulator::Now().GetTimeStep()));
}

void
TraceRx(const ina::Frame& frame)
{
    g_traced.push_back("Rx " + std::to_string(frame.psn) + " at " +
                       std::to_string(Simulator::Now().GetTimeStep()));
}

void
TraceDrop(const ina::Frame& frame)
{
    g_traced.push_back("Drop " + std::to_string(frame.psn));
}

TEST_P(LinkTest, TraceSourcesHandOutTheFrames)
{
    g_traced.clear();
    const TestLink link("100Gbps", 0);
    EXPECT_TRUE(link.left->TraceConnectWithoutContext("Tx", MakeCallback(&TraceTx)));
    EXPECT_TRUE(link.left->TraceConnectWithoutContext("Drop", MakeCallback(&TraceDrop)));
    EXPECT_TRUE(link.right->TraceConnectWithoutContext("Rx", MakeCallback(&TraceRx)));
    SendBurst(link, 2);
    link.left->CountDrop(MakeFrame(5), 0);
    Simulator::Run();
    EXPECT_EQ(g_traced,
              (std::vector<std::string>{"Tx 0 at 0",
                                        "Tx 1 at 0",
                                        "Drop 5",
                                        "Rx 0 at 24480",
                                        "Rx 1 at 48960"}));
    EXPECT_EQ(link.left->GetCounters().framesDropped, 1U);
}

/** A host without own events. */
class QuietRecorder : public Recorder
{
  public:
    int64_t
    QuietUntil(int64_t) const override
    {
        return m_until;
    }

    int64_t m_until{0};
};

TEST_P(LinkTest, AQuietHostGetsItsFramesInOneEventButWithTheirOwnTimes)
{
    const TestLink link("100Gbps", 0);
    QuietRecorder quiet;
    quiet.m_until = 3 * GRADIENT_PS; // arrival time of the third frame
    SendBurst(link, 4);
    link.right->SetHandler(&quiet);
    Simulator::Run();
    EXPECT_EQ(quiet.Arrivals(),
              (std::vector<Arrival>{{GRADIENT_PS, 0},
                                    {2 * GRADIENT_PS, 1},
                                    {3 * GRADIENT_PS, 2},
                                    {4 * GRADIENT_PS, 3}}));
    EXPECT_EQ(quiet.Clocks(),
              (std::vector<int64_t>{GRADIENT_PS, GRADIENT_PS, 3 * GRADIENT_PS, 4 * GRADIENT_PS}));
}

TEST_P(LinkTest, AQuietHostGetsALateFrameAfterWhatIsSentLaterAndArrivesBefore)
{
    const TestLink link("100Gbps", DELAY_PS);
    QuietRecorder quiet;
    quiet.m_until = std::numeric_limits<int64_t>::max();
    link.right->SetHandler(&quiet);
    constexpr int64_t FIRST = DELAY_PS + GRADIENT_PS;
    constexpr int64_t LATE_BY = 5 * DELAY_PS;
    InaLinkDirection& direction =
        DynamicCast<InaChannel>(link.left->GetChannel())->DirectionFrom(*link.left);
    link.right->PutFrame(MakeFrame(7), 0); // fixes the delay
    link.left->PutFrame(MakeFrame(0), 0);
    direction.PushLate(MakeFrame(1), FIRST + DELAY_PS);
    direction.PushLate(MakeFrame(3), FIRST + LATE_BY);
    Simulator::Schedule(Picoseconds(2 * DELAY_PS),
                        [&link] { link.left->PutFrame(MakeFrame(2), 2 * DELAY_PS); });
    Simulator::Run();
    EXPECT_EQ(quiet.Arrivals(),
              (std::vector<Arrival>{{FIRST, 0},
                                    {FIRST + DELAY_PS, 1},
                                    {2 * DELAY_PS + FIRST, 2},
                                    {FIRST + LATE_BY, 3}}));
    // Frames that are late by at most the delay arrive in the same event as the first one.
    EXPECT_EQ(quiet.Clocks(),
              (std::vector<int64_t>{FIRST, FIRST, 2 * DELAY_PS + FIRST, FIRST + LATE_BY}));
}

TEST_P(LinkTest, WhoTracesSeesTheRightClockAtAQuietHostToo)
{
    g_traced.clear();
    const TestLink link("100Gbps", 0);
    QuietRecorder quiet;
    quiet.m_until = 1'000'000;
    SendBurst(link, 2);
    link.right->SetHandler(&quiet);
    link.right->TraceConnectWithoutContext("Rx", MakeCallback(&TraceRx));
    Simulator::Run();
    EXPECT_EQ(g_traced, (std::vector<std::string>{"Rx 0 at 24480", "Rx 1 at 48960"}));
}

TEST_P(LinkTest, ItIsAnNs3Link)
{
    const TestLink link;
    EXPECT_TRUE(link.left->IsLinkUp());
    EXPECT_EQ(link.left->GetChannel()->GetNDevices(), 2U);
    EXPECT_EQ(link.left->GetChannel()->GetDevice(1), link.right);
    EXPECT_EQ(link.left->GetNode()->GetDevice(0), link.left);
    EXPECT_FALSE(link.left->Send(Create<Packet>(100), link.right->GetAddress(), 0x0800))
        << "it carries ina::Frame only";
}

TEST(InaLinkDeathTest, AThirdEndIsRefused)
{
    EXPECT_DEATH(
        {
            const FreshSimulator fresh;
            const TestLink link;
            TestLink::AddDevice(CreateObject<Node>(),
                                DynamicCast<InaChannel>(link.left->GetChannel()),
                                "1Gbps",
                                0);
        },
        "both ends of an InaChannel are already attached");
}

} // namespace
} // namespace ns3
