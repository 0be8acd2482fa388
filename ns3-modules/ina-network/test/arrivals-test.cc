/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "network-test-support.h"

#include "ns3/ina-arrivals.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <random>

namespace ns3
{
namespace
{

/** A node that may have an event of its own OWN_PS after each arrival. */
class Crossing : public InaArrivals, public InaFrameHandler
{
  public:
    static constexpr int64_t OWN_PS = 3 * GRADIENT_PS;
    static constexpr ina::Psn OWN = 1'000'000; //!< added to the PSN

    explicit Crossing(uint32_t node) : InaArrivals(node) {}

    void
    HandleFrame(InaNetDevice&, ina::Frame& frame, int64_t ts) override
    {
        Note(ts, frame.psn);
        if (own)
        {
            m_steps.emplace(ts + OWN_PS, frame.psn);
            ExpectOwn(ts + OWN_PS);
        }
    }

    bool own{false};
    bool aheadAllowed{true};
    std::vector<Arrival> happened;
    std::vector<int64_t> clocks;

  private:
    int64_t
    RunOwn(int64_t ts) override
    {
        Note(ts, OWN + m_steps.begin()->second);
        m_steps.erase(m_steps.begin());
        return m_steps.empty() ? NEVER : m_steps.begin()->first;
    }

    bool
    MayRunAhead() const override
    {
        return aheadAllowed;
    }

    void
    Note(int64_t ts, ina::Psn psn)
    {
        happened.push_back({ts, psn});
        clocks.push_back(Simulator::Now().GetTimeStep());
    }

    std::multimap<int64_t, ina::Psn> m_steps;
};

/** Links that meet at one node. */
class Meeting
{
  public:
    explicit Meeting(std::size_t links, int64_t delayPs = DELAY_PS)
    {
        for (std::size_t i = 0; i < links; ++i)
        {
            m_links.emplace_back("100Gbps", delayPs, 0, CreateObject<Node>(), m_node);
            m_links.back().right->SetHandler(&crossing);
            crossing.AddDevice(*m_links.back().right);
        }
    }

    void
    Send(std::size_t link, ina::Psn psn, int64_t ts = 0)
    {
        m_links[link].left->CountOffer();
        m_links[link].left->PutFrame(MakeFrame(psn), ts);
    }

  private:
    Ptr<Node> m_node{CreateObject<Node>()};
    std::vector<TestLink> m_links;

  public:
    Crossing crossing{m_node->GetId()};
};

class ArrivalsTest : public testing::TestWithParam<const char*>
{
  private:
    FreshSimulator m_fresh{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Simulators, ArrivalsTest, testing::ValuesIn(SIMULATORS), NameOfSimulator);

TEST_P(ArrivalsTest, OfOneInstantComeInTheOrderOfDevicesWhateverWasSentFirst)
{
    Meeting meeting(3);
    meeting.Send(2, 20);
    meeting.Send(0, 0);
    meeting.Send(1, 10);
    Simulator::Run();
    constexpr int64_t AT = DELAY_PS + GRADIENT_PS;
    EXPECT_EQ(meeting.crossing.happened, (std::vector<Arrival>{{AT, 0}, {AT, 10}, {AT, 20}}));
}

TEST_P(ArrivalsTest, OfLinksThatWereInUseBeforeTheirDevicesWereAddedComeInThatOrderToo)
{
    const auto node = CreateObject<Node>();
    std::vector<TestLink> links;
    Crossing crossing(node->GetId());
    for (std::size_t i = 0; i < 2; ++i)
    {
        links.emplace_back("100Gbps", DELAY_PS, 0, CreateObject<Node>(), node);
        links[i].left->SendMade(0, [](ina::Frame&) { return false; });
        links[i].right->SetHandler(&crossing);
        crossing.AddDevice(*links[i].right);
    }
    links[1].left->PutFrame(MakeFrame(10), 0);
    links[0].left->PutFrame(MakeFrame(0), 0);
    Simulator::Run();
    constexpr int64_t AT = DELAY_PS + GRADIENT_PS;
    EXPECT_EQ(crossing.happened, (std::vector<Arrival>{{AT, 0}, {AT, 10}}));
}

TEST_P(ArrivalsTest, OfOneInstantComeBeforeWhatTheNodeDoesByItself)
{
    Meeting meeting(2);
    meeting.crossing.own = true;
    for (ina::Psn psn = 0; psn < 4; ++psn)
    {
        meeting.Send(1, psn);
    }
    Simulator::Run();
    const auto& happened = meeting.crossing.happened;
    ASSERT_EQ(happened.size(), 8U);
    EXPECT_EQ(happened[3].psn, 3U);
    EXPECT_EQ(happened[4], (Arrival{happened[3].ts, Crossing::OWN}));
}

TEST_P(ArrivalsTest, OnLinksWithoutDelayAreHandledToo)
{
    Meeting meeting(2, 0);
    meeting.Send(0, 0);
    meeting.Send(1, 10);
    meeting.Send(0, 1);
    Simulator::Run();
    EXPECT_EQ(meeting.crossing.happened,
              (std::vector<Arrival>{{GRADIENT_PS, 0}, {GRADIENT_PS, 10}, {2 * GRADIENT_PS, 1}}));
}

TEST_P(ArrivalsTest, AreNotAheadOfAnEventThatLooks)
{
    Meeting meeting(1);
    constexpr int64_t FIRST = DELAY_PS + GRADIENT_PS;
    std::size_t seen = 0;
    for (ina::Psn psn = 0; psn < 10; ++psn)
    {
        meeting.Send(0, psn);
    }
    Simulator::Schedule(Picoseconds(FIRST + 5 * GRADIENT_PS),
                        [&]() { seen = meeting.crossing.happened.size(); });
    Simulator::Run();
    EXPECT_EQ(seen, 5U);
    EXPECT_EQ(meeting.crossing.happened.size(), 10U);
}

TEST_P(ArrivalsTest, AreHandledAtTheirInstantsWhereTheClockHasToBeRight)
{
    Meeting meeting(2);
    meeting.crossing.aheadAllowed = false;
    meeting.crossing.own = true;
    for (ina::Psn psn = 0; psn < 5; ++psn)
    {
        meeting.Send(psn % 2, psn);
    }
    Simulator::Run();
    std::vector<int64_t> times;
    std::ranges::transform(meeting.crossing.happened, std::back_inserter(times), &Arrival::ts);
    EXPECT_EQ(meeting.crossing.clocks, times);
}

TEST_P(ArrivalsTest, AreHandledUntilAnInstantForWhoNeedsThemBefore)
{
    Meeting meeting(2);
    constexpr int64_t FIRST = DELAY_PS + GRADIENT_PS;
    meeting.Send(0, 0);
    meeting.Send(1, 1);
    meeting.Send(0, 2);
    std::size_t seen = 0;
    Simulator::Schedule(Picoseconds(FIRST),
                        [&]()
                        {
                            meeting.crossing.RunUntil(FIRST);
                            seen = meeting.crossing.happened.size();
                        });
    Simulator::Run();
    EXPECT_EQ(seen, 2U);
    EXPECT_EQ(meeting.crossing.happened.size(), 3U) << "each once";
}

/** Recorded events of a node with 70 links. */
std::vector<Arrival>
RunRandomProgram(const char* simulator, unsigned seed)
{
    constexpr std::size_t LINKS = 70;
    constexpr unsigned FRAMES = 3000;
    const FreshSimulator fresh(simulator);
    std::mt19937 random(seed);
    Meeting meeting(LINKS);
    meeting.crossing.own = true;
    int64_t ts = 0;
    for (unsigned psn = 0; psn < FRAMES; ++psn)
    {
        ts += static_cast<int64_t>(random() % 3) * GRADIENT_PS / 2;
        meeting.Send(random() % LINKS, psn, ts);
    }
    Simulator::Run();
    EXPECT_EQ(meeting.crossing.happened.size(), 2U * FRAMES) << "each arrival has its own step";
    return meeting.crossing.happened;
}

TEST(InaSimulatorImplArrivalsTest, OfARandomProgramComeInTheOrderOfTheReference)
{
    constexpr unsigned SEED = 20261125;
    for (unsigned seed = SEED; seed < SEED + 5; ++seed)
    {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        const auto happened = RunRandomProgram(SIMULATORS[0], seed);
        EXPECT_TRUE(std::ranges::is_sorted(happened, {}, &Arrival::ts));
        EXPECT_EQ(happened, RunRandomProgram(SIMULATORS[1], seed));
    }
}

TEST(InaSimulatorImplArrivalsTest, OfAWindowComeInOneEvent)
{
    const FreshSimulator fresh;
    Meeting meeting(3);
    for (ina::Psn psn = 0; psn < 300; ++psn)
    {
        meeting.Send(psn % 3, psn);
    }
    Simulator::Run();
    constexpr int64_t FIRST = DELAY_PS + GRADIENT_PS;
    EXPECT_EQ(meeting.crossing.happened.size(), 300U);
    EXPECT_TRUE(
        std::ranges::all_of(meeting.crossing.clocks, [](int64_t clock) { return clock == FIRST; }))
        << "100 frames take less than the delay of a link";
}

} // namespace
} // namespace ns3
