/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "network-test-support.h"

#include "ns3/ina-link-meter.h"

#include <algorithm>
#include <vector>

namespace ns3
{
namespace
{

using Interval = InaLinkMeter::Interval;

constexpr int64_t LENGTH = 1000;

/** A meter of a line that takes 10 time steps per byte. */
class LinkMeterTest : public testing::Test
{
  protected:
    InaLinkMeter m_meter{LENGTH};
    int64_t m_idleTs{0};

    void
    Send(int64_t ts, uint32_t bytes, uint64_t marked = 0)
    {
        m_idleTs = std::max(m_idleTs, ts) + 10 * int64_t{bytes};
        m_meter.Sent(ts, m_idleTs, bytes, marked);
    }

    std::vector<Interval>
    All()
    {
        std::vector<Interval> intervals;
        const int64_t end = m_meter.QuietTs();
        while (const auto interval = m_meter.Take(end))
        {
            intervals.push_back(*interval);
        }
        return intervals;
    }
};

TEST_F(LinkMeterTest, AQuietLineHasNoIntervals)
{
    EXPECT_FALSE(m_meter.Take(100 * LENGTH));
    EXPECT_TRUE(All().empty());
}

TEST_F(LinkMeterTest, AnIntervalIsTakenWhenItIsOver)
{
    Send(100, 20);
    EXPECT_FALSE(m_meter.Take(LENGTH - 1));
    const auto interval = m_meter.Take(LENGTH);
    ASSERT_TRUE(interval);
    EXPECT_EQ(interval->endTs, LENGTH);
    EXPECT_EQ(interval->bytesSent, 20U);
    EXPECT_EQ(interval->busySteps, 200);
    EXPECT_EQ(interval->longestQueueBytes, 20U);
    EXPECT_EQ(interval->queueBytes, 0U);
    EXPECT_FALSE(m_meter.Take(LENGTH));
}

TEST_F(LinkMeterTest, AFrameCountsWhereItLeavesAndTheLineIsBusyInBoth)
{
    Send(900, 30);
    const auto all = All();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].bytesSent, 0U);
    EXPECT_EQ(all[0].busySteps, 100);
    EXPECT_EQ(all[0].queueBytes, 30U);
    EXPECT_EQ(all[1].bytesSent, 30U);
    EXPECT_EQ(all[1].busySteps, 200);
    EXPECT_EQ(all[1].longestQueueBytes, 30U);
    EXPECT_EQ(all[1].queueBytes, 0U);
}

TEST_F(LinkMeterTest, AtTheVeryEndAFrameLeavesInTheIntervalAndEntersInTheNext)
{
    Send(800, 20);
    Send(1000, 5);
    const auto all = All();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].bytesSent, 20U);
    EXPECT_EQ(all[0].queueBytes, 0U);
    EXPECT_EQ(all[1].bytesSent, 5U);
    EXPECT_EQ(all[1].longestQueueBytes, 5U);
}

TEST_F(LinkMeterTest, TheLongestQueueIsOfTheFramesThatHadNotLeft)
{
    Send(0, 10);  // leaves at 100
    Send(0, 10);  // leaves at 200
    Send(150, 7); // the second frame is on the line
    Send(500, 1);
    const auto all = All();
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].longestQueueBytes, 20U);
    EXPECT_EQ(all[0].bytesSent, 28U);
}

TEST_F(LinkMeterTest, AQueueIsSeenInEveryIntervalThatItLasts)
{
    Send(0, 50);
    Send(0, 300);
    const auto all = All();
    ASSERT_EQ(all.size(), 4U);
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        EXPECT_EQ(all[i].endTs, static_cast<int64_t>(i + 1) * LENGTH);
        EXPECT_EQ(all[i].longestQueueBytes, i == 0 ? 350U : 300U);
        EXPECT_EQ(all[i].queueBytes, i == 3 ? 0U : 300U);
        EXPECT_EQ(all[i].busySteps, i == 3 ? 500 : LENGTH);
    }
}

TEST_F(LinkMeterTest, QuietIntervalsAreLeftOut)
{
    Send(0, 1);
    Send(1'000'000 * LENGTH, 1);
    const auto all = All();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[1].endTs, 1'000'001 * LENGTH);
}

TEST_F(LinkMeterTest, MarksCountWithTheirFrameAndDropsWhenTheyHappen)
{
    Send(0, 1, 2);
    Send(LENGTH, 1, 5);
    m_meter.Dropped(3 * LENGTH);
    const auto all = All();
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].framesMarked, 2U);
    EXPECT_EQ(all[1].framesMarked, 3U);
    EXPECT_EQ(all[2].framesDropped, 1U);
    EXPECT_EQ(all[2].endTs, 4 * LENGTH);
}

/** Hosts handle arrivals ahead of the clock and answer at once. */
TEST_F(LinkMeterTest, WhatComesAheadOfTheClockStaysUntilItsIntervalIsOver)
{
    Send(100, 1);
    Send(2100, 1);
    EXPECT_EQ(m_meter.Take(LENGTH)->endTs, LENGTH);
    EXPECT_FALSE(m_meter.Take(2 * LENGTH));
    EXPECT_EQ(m_meter.Take(3 * LENGTH)->endTs, 3 * LENGTH);
}

TEST(LinkMeterOfADevice, IsToldOfFramesAndDropsAndOfFramingOnlyInTime)
{
    FreshSimulator fresh;
    TestLink link;
    Recorder recorder;
    link.right->SetHandler(&recorder);
    link.left->SetAttribute("FramingBytes", UintegerValue(24));
    InaLinkMeter meter(1'000'000);
    link.left->SetMeter(&meter);
    link.left->PutFrame(MakeFrame(0), 0);
    link.left->CountMark(MakeFrame(1));
    link.left->PutFrame(MakeFrame(1), 0);
    link.left->CountDrop(MakeFrame(2), 500);
    Simulator::Run();
    const auto interval = meter.Take(1'000'000);
    ASSERT_TRUE(interval);
    EXPECT_EQ(interval->bytesSent, 2U * GRADIENT_BYTES);
    EXPECT_EQ(interval->longestQueueBytes, 2U * GRADIENT_BYTES);
    EXPECT_EQ(interval->busySteps, 2 * 26'400); // 330 B
    EXPECT_EQ(interval->busySteps, link.left->LineSteps());
    EXPECT_EQ(interval->framesMarked, 1U);
    EXPECT_EQ(interval->framesDropped, 1U);
    EXPECT_EQ(recorder.Arrivals().size(), 2U);
}

} // namespace
} // namespace ns3
