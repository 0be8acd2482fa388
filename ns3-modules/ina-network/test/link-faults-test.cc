/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "network-test-support.h"

#include "ns3/double.h"
#include "ns3/ina-link-faults.h"

#include <algorithm>
#include <set>

namespace ns3
{
namespace
{

constexpr ina::Psn FRAMES = 1000;

class LinkFaultsTest : public testing::TestWithParam<const char*>
{
  protected:
    Ptr<InaLinkFaults>
    AddFaults(const std::string& name, double probability)
    {
        const auto faults = CreateObject<InaLinkFaults>();
        faults->SetAttribute(name, DoubleValue(probability));
        faults->AssignStreams(1);
        m_link.left->AddFaults(faults);
        return faults;
    }

    void
    SendAll()
    {
        m_link.right->SetHandler(&m_recorder);
        for (ina::Psn psn = 0; psn < FRAMES; ++psn)
        {
            m_link.left->PutFrame(MakeFrame(psn), 0);
        }
        Simulator::Run();
    }

    void
    ExpectBalance() const
    {
        const InaLinkCounters& sent = m_link.left->GetCounters();
        const InaLinkCounters& received = m_link.right->GetCounters();
        EXPECT_EQ(sent.framesSent, FRAMES);
        EXPECT_EQ(sent.framesSent + sent.framesDuplicated,
                  received.framesReceived + sent.framesLost + sent.framesCorrupted);
        EXPECT_EQ(sent.bytesSent + sent.bytesDuplicated, received.bytesReceived + sent.bytesLost);
        EXPECT_EQ(m_recorder.Arrivals().size(), received.framesReceived);
        EXPECT_EQ(m_link.left->GetFramesInFlight(), 0U);
    }

    /** Arrival time of a frame that no fault delays. */
    static int64_t
    OnTime(ina::Psn psn)
    {
        return (int64_t{psn} + 1) * GRADIENT_PS + DELAY_PS;
    }

    FreshSimulator m_fresh{GetParam()};
    TestLink m_link;
    Recorder m_recorder;
};

INSTANTIATE_TEST_SUITE_P(Simulators,
                         LinkFaultsTest,
                         testing::ValuesIn(SIMULATORS),
                         NameOfSimulator);

TEST_P(LinkFaultsTest, LostFramesTakeTheLineAndDoNotArrive)
{
    AddFaults("Loss", 0.3);
    SendAll();
    ExpectBalance();
    EXPECT_GT(m_link.left->GetCounters().framesLost, FRAMES / 5);
    EXPECT_LT(m_link.left->GetCounters().framesLost, FRAMES / 2);
    for (const Arrival& arrival : m_recorder.Arrivals())
    {
        EXPECT_EQ(arrival.ts, OnTime(arrival.psn));
    }
}

TEST_P(LinkFaultsTest, CorruptedFramesDoNotReachTheHandlerAndAreCountedApart)
{
    AddFaults("Corruption", 0.3);
    SendAll();
    ExpectBalance();
    EXPECT_EQ(m_link.left->GetCounters().framesLost, 0U);
    EXPECT_GT(m_link.left->GetCounters().framesCorrupted, FRAMES / 5);
}

TEST_P(LinkFaultsTest, ADuplicateComesWithItsOriginal)
{
    AddFaults("Duplication", 1);
    SendAll();
    ExpectBalance();
    ASSERT_EQ(m_recorder.Arrivals().size(), 2 * FRAMES);
    for (std::size_t i = 0; i < 2 * FRAMES; ++i)
    {
        const auto psn = static_cast<ina::Psn>(i / 2);
        EXPECT_EQ(m_recorder.Arrivals()[i], (Arrival{OnTime(psn), psn}));
    }
}

TEST_P(LinkFaultsTest, DelayedFramesAreOvertakenAndNoLaterThanTheAttributeSays)
{
    const int64_t mostLate = 20 * GRADIENT_PS;
    AddFaults("Reordering", 0.2)->SetAttribute("ReorderingDelay", TimeValue(Picoseconds(mostLate)));
    SendAll();
    ExpectBalance();
    ina::Psn overtaken = 0;
    ina::Psn highest = 0;
    std::set<ina::Psn> seen;
    for (const Arrival& arrival : m_recorder.Arrivals())
    {
        EXPECT_GE(arrival.ts, OnTime(arrival.psn));
        EXPECT_LE(arrival.ts, OnTime(arrival.psn) + mostLate);
        overtaken += arrival.psn < highest ? 1 : 0;
        highest = std::max(highest, arrival.psn);
        seen.insert(arrival.psn);
    }
    EXPECT_EQ(seen.size(), FRAMES);
    EXPECT_GT(overtaken, FRAMES / 10);
    EXPECT_TRUE(std::ranges::is_sorted(m_recorder.Arrivals(), {}, &Arrival::ts));
}

TEST_P(LinkFaultsTest, ABatchOfArrivalsStopsWhereALateFrameComesBetween)
{
    class QuietRecorder : public Recorder
    {
        int64_t
        QuietUntil(int64_t) const override
        {
            return std::numeric_limits<int64_t>::max();
        }
    };

    QuietRecorder quiet;
    AddFaults("Reordering", 0.2);
    m_link.right->SetHandler(&quiet);
    for (ina::Psn psn = 0; psn < FRAMES; ++psn)
    {
        m_link.left->PutFrame(MakeFrame(psn), 0);
    }
    Simulator::Run();
    EXPECT_EQ(quiet.Arrivals().size(), FRAMES);
    EXPECT_TRUE(std::ranges::is_sorted(quiet.Arrivals(), {}, &Arrival::ts));
}

TEST_P(LinkFaultsTest, TraceSourcesTellEachFault)
{
    std::array<uint64_t, 4> traced{};
    std::size_t next = 0;
    for (const auto* name : {"Lost", "Corrupted", "Duplicated", "Delayed"})
    {
        uint64_t& count = traced[next++];
        m_link.left->TraceConnectWithoutContext(
            name,
            Callback<void, const ina::Frame&>([&count](const ina::Frame&) { ++count; }));
    }
    for (const auto* name : {"Loss", "Corruption", "Duplication", "Reordering"})
    {
        AddFaults(name, 0.1);
    }
    SendAll();
    ExpectBalance();
    const InaLinkCounters& counters = m_link.left->GetCounters();
    EXPECT_EQ(traced,
              (std::array<uint64_t, 4>{counters.framesLost,
                                       counters.framesCorrupted,
                                       counters.framesDuplicated,
                                       counters.framesDelayed}));
    for (const uint64_t count : traced)
    {
        EXPECT_GT(count, 0U);
    }
}

TEST_P(LinkFaultsTest, TheSameStreamLosesTheSameFrames)
{
    AddFaults("Loss", 0.5);
    SendAll();
    const TestLink other;
    Recorder recorder;
    const auto faults = CreateObject<InaLinkFaults>();
    faults->SetAttribute("Loss", DoubleValue(0.5));
    faults->AssignStreams(1);
    other.left->AddFaults(faults);
    other.right->SetHandler(&recorder);
    for (ina::Psn psn = 0; psn < FRAMES; ++psn)
    {
        other.left->PutFrame(MakeFrame(psn), Simulator::Now().GetTimeStep());
    }
    Simulator::Run();
    ASSERT_EQ(recorder.Arrivals().size(), m_recorder.Arrivals().size());
    for (std::size_t i = 0; i < recorder.Arrivals().size(); ++i)
    {
        EXPECT_EQ(recorder.Arrivals()[i].psn, m_recorder.Arrivals()[i].psn);
    }
}

} // namespace
} // namespace ns3
