/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "network-test-support.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/ina-link-faults.h"
#include "ns3/ina-link-meter.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace ns3
{
namespace
{

using Stage = ina::cluster::HostStage;

/** Time of a frame in the host, four times that on the line. */
constexpr int64_t HOST_PS = 100'000;
constexpr Stage::Config ONE_CORE{.per_packet = ina::Time(HOST_PS)};
constexpr Stage::Config FOUR_CORES{.per_packet = ina::Time(HOST_PS), .cores = 4};

/** Arrival of a frame that is sent after `psn` others at once, without a stage. */
constexpr int64_t
OnTime(ina::Psn psn)
{
    return (int64_t{psn} + 1) * GRADIENT_PS + DELAY_PS;
}

std::vector<ina::Psn>
PsnsOf(const Recorder& recorder)
{
    std::vector<ina::Psn> psns;
    for (const Arrival& arrival : recorder.Arrivals())
    {
        psns.push_back(arrival.psn);
    }
    return psns;
}

/** Sends frames from the left to a recorder on the right. */
class HostStageTest : public testing::TestWithParam<const char*>
{
  protected:
    HostStageTest()
    {
        m_link.right->SetHandler(&m_recorder);
    }

    void
    SendBurst(ina::Psn frames)
    {
        for (ina::Psn psn = 0; psn < frames; ++psn)
        {
            m_link.left->CountOffer();
            m_link.left->PutFrame(MakeFrame(psn), 0);
        }
    }

    /** Like SendBurst(), with frames that are filled in on the link. */
    void
    MakeBurst(ina::Psn frames)
    {
        for (ina::Psn psn = 0; psn < frames; ++psn)
        {
            m_link.left->SendMade(0,
                                  [psn](ina::Frame& frame)
                                  {
                                      frame = MakeFrame(psn);
                                      return true;
                                  });
        }
    }

    void
    ExpectArrivals(const std::vector<Arrival>& arrivals)
    {
        Simulator::Run();
        EXPECT_EQ(m_recorder.Arrivals(), arrivals);
    }

    void
    ExpectBalance(ina::Psn frames) const
    {
        const InaLinkCounters sent = m_link.left->GetCounters();
        const InaLinkCounters received = m_link.right->GetCounters();
        EXPECT_EQ(sent.framesOffered, frames);
        EXPECT_EQ(sent.framesSent, frames);
        EXPECT_EQ(sent.framesSent + sent.framesDuplicated,
                  received.framesReceived + sent.framesLost);
        EXPECT_EQ(sent.bytesSent + sent.bytesDuplicated, received.bytesReceived + sent.bytesLost);
        EXPECT_EQ(m_link.left->GetFramesInFlight(), 0U);
    }

    FreshSimulator m_fresh{GetParam()};
    TestLink m_link;
    Recorder m_recorder;
};

INSTANTIATE_TEST_SUITE_P(Simulators, HostStageTest, testing::ValuesIn(SIMULATORS), NameOfSimulator);

TEST_P(HostStageTest, WithoutATimeChangesNothing)
{
    SetHostStage(m_link.left, {});
    SetHostStage(m_link.right, {});
    SendBurst(2);
    ExpectArrivals({{OnTime(0), 0}, {OnTime(1), 1}});
}

TEST_P(HostStageTest, OfASlowHostTakesFramesOneAfterTheOther)
{
    SetHostStage(m_link.right, ONE_CORE);
    SendBurst(3);
    ExpectArrivals(
        {{OnTime(0) + HOST_PS, 0}, {OnTime(0) + 2 * HOST_PS, 1}, {OnTime(0) + 3 * HOST_PS, 2}});
}

TEST_P(HostStageTest, OfAFastHostTakesEachFrameAsLong)
{
    constexpr int64_t FAST_PS = GRADIENT_PS / 2;
    SetHostStage(m_link.right, {.per_packet = ina::Time(FAST_PS)});
    SendBurst(2);
    ExpectArrivals({{OnTime(0) + FAST_PS, 0}, {OnTime(1) + FAST_PS, 1}});
}

TEST_P(HostStageTest, OfASlowHostIsPassedBeforeTheLine)
{
    SetHostStage(m_link.left, ONE_CORE);
    SendBurst(2);
    ExpectArrivals({{OnTime(0) + HOST_PS, 0}, {OnTime(0) + 2 * HOST_PS, 1}});
}

TEST_P(HostStageTest, OfAFastHostLetsFramesWaitForTheLine)
{
    constexpr int64_t FAST_PS = GRADIENT_PS / 2;
    SetHostStage(m_link.left, {.per_packet = ina::Time(FAST_PS)});
    SendBurst(3);
    ExpectArrivals({{OnTime(0) + FAST_PS, 0}, {OnTime(1) + FAST_PS, 1}, {OnTime(2) + FAST_PS, 2}});
}

TEST_P(HostStageTest, OfBothEndsArePassedOneAfterTheOther)
{
    SetHostStage(m_link.left, ONE_CORE);
    SetHostStage(m_link.right, ONE_CORE);
    SendBurst(2);
    ExpectArrivals({{OnTime(0) + 2 * HOST_PS, 0}, {OnTime(0) + 3 * HOST_PS, 1}});
}

TEST_P(HostStageTest, HasCoresOfItsOwnForEachDirection)
{
    SetHostStage(m_link.right, ONE_CORE);
    Recorder left;
    m_link.left->SetHandler(&left);
    m_link.right->PutFrame(MakeFrame(7), OnTime(0)); // just when the other frame arrives
    SendBurst(1);
    ExpectArrivals({{OnTime(0) + HOST_PS, 0}});
    EXPECT_EQ(left.Arrivals(), (std::vector<Arrival>{{2 * OnTime(0) + HOST_PS, 7}}));
}

TEST_P(HostStageTest, TakesTimeForTheBytesOfEachFrame)
{
    constexpr Stage::Config config{.per_packet = ina::Time(1000),
                                   .per_byte = ina::Time(100),
                                   .header_bytes = 58};
    constexpr int64_t TAKES_PS = 1000 + 100 * (GRADIENT_BYTES - 58);
    SetHostStage(m_link.left, config);
    SetHostStage(m_link.right, config);
    SendBurst(1);
    ExpectArrivals({{OnTime(0) + 2 * TAKES_PS, 0}});
}

TEST_P(HostStageTest, OfFourCoresTakesFourFramesAtATime)
{
    SetHostStage(m_link.right, FOUR_CORES);
    SendBurst(5);
    ExpectArrivals({{OnTime(0) + HOST_PS, 0},
                    {OnTime(1) + HOST_PS, 1},
                    {OnTime(2) + HOST_PS, 2},
                    {OnTime(3) + HOST_PS, 3},
                    {OnTime(0) + 2 * HOST_PS, 4}}); // the first core's next frame
}

TEST_P(HostStageTest, OfFourCoresSendsFourFramesAtATime)
{
    SetHostStage(m_link.left, FOUR_CORES);
    SendBurst(5);
    ExpectArrivals({{OnTime(0) + HOST_PS, 0},
                    {OnTime(1) + HOST_PS, 1},
                    {OnTime(2) + HOST_PS, 2},
                    {OnTime(3) + HOST_PS, 3},
                    {OnTime(0) + 2 * HOST_PS, 4}}); // when the line was idle again
}

TEST_P(HostStageTest, LosesWhatFindsItsQueueFull)
{
    Stage::Config config = ONE_CORE;
    config.queue = 2;
    SetHostStage(m_link.right, config);
    SendBurst(10);
    Simulator::Run();
    // One frame is on the core and two wait. The first one ends between the fifth and the sixth.
    EXPECT_EQ(PsnsOf(m_recorder), (std::vector<ina::Psn>{0, 1, 2, 5, 9}));
    EXPECT_EQ(m_link.left->GetCounters().framesLost, 5U);
    ExpectBalance(10);
}

TEST_P(HostStageTest, LosesTheSameOfWhatIsFilledInOnTheLink)
{
    Stage::Config config = ONE_CORE;
    config.queue = 2;
    SetHostStage(m_link.right, config);
    MakeBurst(10);
    Simulator::Run();
    EXPECT_EQ(PsnsOf(m_recorder), (std::vector<ina::Psn>{0, 1, 2, 5, 9}));
    ExpectBalance(10);
}

TEST_P(HostStageTest, TracesALossWhenTheFrameArrives)
{
    Stage::Config config = ONE_CORE;
    config.queue = 1;
    SetHostStage(m_link.right, config);
    std::vector<Arrival> lost;
    m_link.left->TraceConnectWithoutContext(
        "Lost",
        Callback<void, const ina::Frame&>(
            [&lost](const ina::Frame& frame) {
                lost.push_back({Simulator::Now().GetTimeStep(), frame.psn});
            }));
    MakeBurst(3);
    ExpectArrivals({{OnTime(0) + HOST_PS, 0}, {OnTime(0) + 2 * HOST_PS, 1}});
    EXPECT_EQ(lost, (std::vector<Arrival>{{OnTime(2), 2}}));
}

TEST_P(HostStageTest, SendsWhateverWaits)
{
    Stage::Config config = ONE_CORE;
    config.queue = 1;
    SetHostStage(m_link.left, config);
    SendBurst(10);
    Simulator::Run();
    EXPECT_EQ(m_recorder.Arrivals().size(), 10U);
    ExpectBalance(10);
}

TEST_P(HostStageTest, IsPassedInTheSameTimeByWhatIsFilledInOnTheLink)
{
    const TestLink other;
    Recorder recorder;
    other.right->SetHandler(&recorder);
    for (const TestLink* link : {&other, &std::as_const(m_link)})
    {
        SetHostStage(link->left, FOUR_CORES);
        SetHostStage(link->right, ONE_CORE);
    }
    MakeBurst(20);
    for (ina::Psn psn = 0; psn < 20; ++psn)
    {
        other.left->PutFrame(MakeFrame(psn), 0);
    }
    Simulator::Run();
    EXPECT_EQ(m_recorder.Arrivals(), recorder.Arrivals());
    EXPECT_EQ(recorder.Arrivals().size(), 20U);
}

/** The next frame waits for a core. */
TEST_P(HostStageTest, OfASlowHostIsItsBacklog)
{
    SetHostStage(m_link.left, ONE_CORE);
    SendBurst(3);
    EXPECT_EQ(m_link.left->Backlog(0), 3 * HOST_PS);
    EXPECT_EQ(m_link.left->Backlog(HOST_PS), 2 * HOST_PS);
    EXPECT_EQ(m_link.left->Backlog(3 * HOST_PS), 0);
    EXPECT_EQ(m_link.left->IdleTs(), 3 * HOST_PS + GRADIENT_PS);
}

/** While a core is free, the next frame waits only for earlier frames on the line. */
TEST_P(HostStageTest, WithAFreeCoreLeavesTheBacklogOfTheLine)
{
    SetHostStage(m_link.left, FOUR_CORES);
    SendBurst(3);
    EXPECT_EQ(m_link.left->Backlog(0), 3 * GRADIENT_PS);
    m_link.left->PutFrame(MakeFrame(3), 0);
    EXPECT_EQ(m_link.left->Backlog(0), HOST_PS) << "until a core is free";
}

TEST_P(HostStageTest, DoesNotOccupyTheLine)
{
    InaLinkMeter meter(10 * HOST_PS);
    SetHostStage(m_link.left, ONE_CORE);
    m_link.left->SetMeter(&meter);
    SendBurst(3);
    Simulator::Run();
    const auto interval = meter.Take(meter.QuietTs());
    ASSERT_TRUE(interval);
    EXPECT_EQ(interval->busySteps, 3 * GRADIENT_PS);
    EXPECT_EQ(interval->longestQueueBytes, uint64_t{GRADIENT_BYTES});
    EXPECT_EQ(m_link.left->LineSteps(), 3 * GRADIENT_PS);
}

TEST_P(HostStageTest, TakesADuplicateForAFrameOfItsOwn)
{
    SetHostStage(m_link.right, ONE_CORE);
    const auto faults = CreateObject<InaLinkFaults>();
    faults->SetAttribute("Duplication", DoubleValue(1));
    m_link.left->AddFaults(faults);
    SendBurst(1);
    ExpectArrivals({{OnTime(0) + HOST_PS, 0}, {OnTime(0) + 2 * HOST_PS, 0}});
    ExpectBalance(1);
}

/** A host of four cores. A frame takes between 0.5 and 1.5 times HOST_PS. */
constexpr Stage::Config SPREAD{.per_packet = ina::Time(HOST_PS), .spread = 0.5, .cores = 4};

constexpr ina::Psn FRAMES = 500;

/** A host without own events. */
class QuietRecorder : public Recorder
{
  public:
    int64_t
    QuietUntil(int64_t) const override
    {
        return std::numeric_limits<int64_t>::max();
    }
};

/** Sends frames in bursts. Each burst begins while the previous one is in flight. */
void
SendBursts(const TestLink& link)
{
    constexpr ina::Psn BURST = 50;
    for (ina::Psn psn = 0; psn < FRAMES; psn += BURST)
    {
        Simulator::Schedule(Picoseconds(int64_t{psn} * GRADIENT_PS),
                            [psn, left = link.left]
                            {
                                for (ina::Psn i = 0; i < BURST; ++i)
                                {
                                    left->PutFrame(MakeFrame(psn + i),
                                                   Simulator::Now().GetTimeStep());
                                }
                            });
    }
    Simulator::Run();
}

/** Arrivals through stages at both ends. */
std::vector<Arrival>
ArrivalsUnder(const char* simulator, const Stage::Config& config)
{
    const FreshSimulator fresh(simulator);
    const TestLink link;
    SetHostStage(link.left, config);
    SetHostStage(link.right, config);
    QuietRecorder recorder;
    link.right->SetHandler(&recorder);
    SendBursts(link);
    return recorder.Arrivals();
}

TEST(HostStageOfSpreadTimes, IsTheSameUnderEverySimulator)
{
    for (const bool reorder : {false, true})
    {
        Stage::Config config = SPREAD;
        config.reorder = reorder;
        const std::vector<Arrival> arrivals = ArrivalsUnder(SIMULATORS[0], config);
        EXPECT_EQ(arrivals.size(), FRAMES);
        EXPECT_EQ(arrivals, ArrivalsUnder(SIMULATORS[1], config));
    }
}

TEST_P(HostStageTest, OfSpreadTimesKeepsTheOrder)
{
    SetHostStage(m_link.left, SPREAD);
    SetHostStage(m_link.right, SPREAD);
    SendBursts(m_link);
    EXPECT_EQ(m_recorder.Arrivals().size(), FRAMES);
    EXPECT_TRUE(std::ranges::is_sorted(m_recorder.Arrivals(), {}, &Arrival::psn));
    EXPECT_TRUE(std::ranges::is_sorted(m_recorder.Arrivals(), {}, &Arrival::ts));
    const int64_t last = m_recorder.Arrivals().back().ts;
    EXPECT_NE((last - OnTime(FRAMES - 1)) % HOST_PS, 0) << "times are spread";
}

/** Includes a host that handles frames ahead of the clock. */
TEST_P(HostStageTest, OfReorderHandsFramesOverWhenTheirCoresAreDone)
{
    Stage::Config config = SPREAD;
    config.reorder = true;
    SetHostStage(m_link.right, config);
    QuietRecorder recorder;
    m_link.right->SetHandler(&recorder);
    SendBursts(m_link);
    EXPECT_FALSE(std::ranges::is_sorted(recorder.Arrivals(), {}, &Arrival::psn));
    Stage expected(config, STAGE_SEED, Stage::Direction::receive);
    std::vector<Arrival> arrivals;
    for (ina::Psn psn = 0; psn < FRAMES; ++psn)
    {
        const auto done = expected.receive(GRADIENT_BYTES, ina::Time(OnTime(psn)));
        arrivals.push_back({done.count(), psn});
    }
    std::ranges::stable_sort(arrivals, {}, &Arrival::ts);
    EXPECT_EQ(recorder.Arrivals(), arrivals);
}

TEST_P(HostStageTest, OfReorderSendsInOrder)
{
    Stage::Config config = SPREAD;
    config.reorder = true;
    SetHostStage(m_link.left, config);
    SendBursts(m_link);
    EXPECT_EQ(m_recorder.Arrivals().size(), FRAMES);
    EXPECT_TRUE(std::ranges::is_sorted(m_recorder.Arrivals(), {}, &Arrival::psn));
}

TEST(HostStageAttributes, AreThoseOfItsSettings)
{
    const FreshSimulator fresh;
    const TestLink link;
    Recorder recorder;
    link.right->SetHandler(&recorder);
    const auto stage = CreateObject<InaHostStage>();
    stage->SetAttribute("PerPacket", TimeValue(NanoSeconds(100)));
    stage->SetAttribute("PerByte", TimeValue(NanoSeconds(1)));
    stage->SetAttribute("HeaderBytes", UintegerValue(GRADIENT_BYTES - 1));
    stage->SetAttribute("Cores", UintegerValue(2));
    stage->SetAttribute("Queue", UintegerValue(1));
    stage->SetAttribute("Reorder", BooleanValue(true));
    link.right->SetAttribute("HostStage", PointerValue(stage));
    EXPECT_EQ(link.right->GetHostStage(), stage);
    EXPECT_TRUE(stage->Receiving().reorders());
    for (ina::Psn psn = 0; psn < 4; ++psn)
    {
        link.left->PutFrame(MakeFrame(psn), 0);
    }
    Simulator::Run();
    constexpr int64_t TAKES_PS = HOST_PS + 1000;
    EXPECT_EQ(recorder.Arrivals(),
              (std::vector<Arrival>{{OnTime(0) + TAKES_PS, 0},
                                    {OnTime(1) + TAKES_PS, 1},
                                    {OnTime(0) + 2 * TAKES_PS, 2}}));
}

/** Time of the last arrival through a stage with random times whose seed is drawn. */
int64_t
LastArrivalBy(int64_t stream)
{
    const FreshSimulator fresh;
    const TestLink link;
    Recorder recorder;
    link.right->SetHandler(&recorder);
    const auto stage = CreateObject<InaHostStage>();
    stage->SetAttribute("PerPacket", TimeValue(NanoSeconds(100)));
    stage->SetAttribute("Spread", DoubleValue(0.5));
    stage->SetAttribute("HostSpread", DoubleValue(0.5));
    EXPECT_EQ(stage->AssignStreams(stream), 1);
    link.right->SetHostStage(stage);
    SendBursts(link);
    return recorder.Arrivals().back().ts;
}

TEST(HostStageStreams, SpreadTheTimes)
{
    EXPECT_EQ(LastArrivalBy(1), LastArrivalBy(1));
    EXPECT_NE(LastArrivalBy(1), LastArrivalBy(2));
}

} // namespace
} // namespace ns3
