/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "network-test-support.h"

#include "hw/protocol/prefetchable.hpp"
#include "switch-models/programs/make_program.hpp"
#include "switch-models/programs/value_passes.hpp"

#include "ns3/boolean.h"
#include "ns3/ina-switch.h"
#include "ns3/log.h"

#include <functional>
#include <memory>
#include <utility>

namespace ns3
{
namespace
{

using ina::programs::AggregatorEvent;
using ina::rmt::Verdict;

/** A data plane whose decisions the test sets. */
class ScriptedProgram : public ina::programs::SwitchProgram
{
  public:
    explicit ScriptedProgram(std::function<Verdict(ina::Frame&)> script) :
        m_script(std::move(script))
    {
    }

    Verdict
    process(ina::Frame& frame, ina::Time) override
    {
        return m_script(frame);
    }

  private:
    std::function<Verdict(ina::Frame&)> m_script;
};

/** Forwards, and records the frames that it fetched. */
class FetchingProgram : public ina::programs::SwitchProgram, public ina::FramePrefetchable
{
  public:
    explicit FetchingProgram(std::vector<ina::Psn>& fetched) : m_fetched(fetched) {}

    Verdict
    process(ina::Frame& frame, ina::Time) override
    {
        return ina::programs::forward(frame);
    }

    void
    fetch_ahead(const ina::Frame& frame) const override
    {
        m_fetched.push_back(frame.psn);
    }

  private:
    std::vector<ina::Psn>& m_fetched;
};

/** Hosts 0, 1, ... at a switch. */
class InaSwitchTest : public testing::Test
{
  protected:
    static constexpr ina::HostId HOSTS = 4;
    static constexpr int64_t HOP = GRADIENT_PS + DELAY_PS;

    void
    Build(std::unique_ptr<ina::programs::SwitchProgram> program)
    {
        const auto node = CreateObject<Node>();
        node->AggregateObject(m_switch);
        m_switch->SetRunAhead(true); // as in a cluster
        m_switch->SetProgram(std::move(program));
        for (ina::HostId host = 0; host < HOSTS; ++host)
        {
            const TestLink link("100Gbps", DELAY_PS, 0, CreateObject<Node>(), node);
            link.left->SetHandler(&m_hosts[host]);
            m_devices.push_back(link.left);
            m_ports.push_back(link.right);
            m_switch->AddPort(link.right, host);
        }
    }

    void
    Build(std::function<Verdict(ina::Frame&)> script)
    {
        Build(std::make_unique<ScriptedProgram>(std::move(script)));
    }

    void
    BuildForwarding()
    {
        Build([](ina::Frame& frame) { return ina::programs::forward(frame); });
    }

    /** Makes a frame arrive at a port. */
    void
    Arrive(ina::Frame frame, int64_t ts)
    {
        Simulator::Schedule(Picoseconds(ts) - Simulator::Now(),
                            [this, frame, ts]
                            {
                                ina::Frame copy = frame;
                                m_ports[0]->Deliver(copy, ts);
                            });
    }

    std::vector<ina::Psn>
    MarkedAt(ina::HostId host) const
    {
        std::vector<ina::Psn> marked;
        for (const ina::Frame& frame : m_hosts[host].Frames())
        {
            if (frame.has(ina::flag::ecn))
            {
                marked.push_back(frame.psn);
            }
        }
        return marked;
    }

    std::vector<ina::Psn>
    PsnsAt(ina::HostId host) const
    {
        std::vector<ina::Psn> psns;
        for (const Arrival& arrival : m_hosts[host].Arrivals())
        {
            psns.push_back(arrival.psn);
        }
        return psns;
    }

    FreshSimulator m_fresh;
    Ptr<InaSwitch> m_switch{CreateObject<InaSwitch>()};
    std::array<Recorder, HOSTS> m_hosts;
    std::vector<Ptr<InaNetDevice>> m_devices;
    std::vector<Ptr<InaNetDevice>> m_ports;
};

TEST_F(InaSwitchTest, ForwardsToTheDestination)
{
    BuildForwarding();
    m_devices[0]->PutFrame(MakeFrame(1, 2), 0);
    Simulator::Run();
    EXPECT_EQ(m_hosts[2].Arrivals(), (std::vector<Arrival>{{2 * HOP, 1}}));
    EXPECT_TRUE(m_hosts[0].Arrivals().empty());
    EXPECT_TRUE(m_hosts[1].Arrivals().empty());
}

TEST_F(InaSwitchTest, WhatArrivesDuringARebootIsLostAndAnotherProgramComesBack)
{
    BuildForwarding();
    std::vector<std::string> fired;
    for (const std::string source : {"WentDown", "CameBack"})
    {
        m_switch->TraceConnectWithoutContext(
            source,
            Callback<void, uint32_t>([&fired, source](uint32_t) { fired.push_back(source); }));
    }
    Simulator::Schedule(Picoseconds(2 * HOP),
                        [this]()
                        {
                            m_switch->GoDown(std::make_unique<ScriptedProgram>(
                                [](ina::Frame& frame)
                                {
                                    frame.psn += 100;
                                    return ina::programs::forward(frame);
                                }));
                            EXPECT_TRUE(m_switch->IsDown());
                        });
    Simulator::Schedule(Picoseconds(4 * HOP), [this]() { m_switch->ComeBack(); });
    for (const ina::Psn psn : {1U, 2U, 3U})
    {
        m_devices[0]->PutFrame(MakeFrame(psn, 2), (2 * psn - 2) * HOP + 1);
    }
    Simulator::Run();
    EXPECT_EQ(PsnsAt(2), (std::vector<ina::Psn>{1, 103}));
    EXPECT_EQ(m_switch->GetFramesWhileDown(), 1U);
    EXPECT_EQ(fired, (std::vector<std::string>{"WentDown", "CameBack"}));
}

TEST_F(InaSwitchTest, TheProgramThatRunsFetchesForFramesOfTheSameWindowIfItFetchesAtAll)
{
    std::vector<ina::Psn> before;
    std::vector<ina::Psn> after;
    Build(std::make_unique<FetchingProgram>(before));
    const auto reboot = [this](std::unique_ptr<ina::programs::SwitchProgram> program)
    {
        m_switch->GoDown(std::move(program));
        m_switch->ComeBack();
    };
    Simulator::Schedule(Picoseconds(4 * HOP),
                        [&]
                        {
                            reboot(std::make_unique<ScriptedProgram>(
                                [](ina::Frame& frame) { return ina::programs::forward(frame); }));
                        });
    Simulator::Schedule(Picoseconds(8 * HOP),
                        [&] { reboot(std::make_unique<FetchingProgram>(after)); });
    // One window of ten frames under each program. The first eight frames are in flight when it
    // begins.
    for (const int64_t ts : {int64_t{0}, 4 * HOP + 1, 8 * HOP + 1})
    {
        for (ina::Psn psn = 0; psn < 10; ++psn)
        {
            m_devices[0]->PutFrame(MakeFrame(psn, 2), ts);
        }
    }
    Simulator::Run();
    EXPECT_EQ(m_hosts[2].Arrivals().size(), 30U);
    EXPECT_EQ(before, (std::vector<ina::Psn>{8, 9}));
    EXPECT_EQ(after, (std::vector<ina::Psn>{8, 9}));
}

TEST_F(InaSwitchTest, FromTheFirstJobOnWhatNoMemberMaySendIsTracedAndDropped)
{
    BuildForwarding();
    std::vector<std::pair<uint32_t, ina::Psn>> refused;
    m_switch->TraceConnectWithoutContext("Refused",
                                         Callback<void, uint32_t, const ina::Frame&>(
                                             [&refused](uint32_t port, const ina::Frame& frame)
                                             { refused.emplace_back(port, frame.psn); }));
    m_devices[1]->PutFrame(MakeFrame(1, 2), 0);
    Simulator::Schedule(
        Picoseconds(2 * HOP),
        [this]() {
            m_switch->InstallJob(0, {1, 2, 0, 0}, {{0}, 2, ina::wire::one_level(1), {0}});
        });
    Simulator::Schedule(Picoseconds(4 * HOP),
                        [this]()
                        {
                            m_switch->GoDown(std::make_unique<ScriptedProgram>(
                                [](ina::Frame& frame) { return ina::programs::forward(frame); }));
                        });
    m_devices[1]->PutFrame(MakeFrame(2, 2), 2 * HOP + 1);
    m_devices[1]->PutFrame(MakeFrame(3, 2), 4 * HOP + 1);
    Simulator::Run();
    EXPECT_EQ(PsnsAt(2), (std::vector<ina::Psn>{1}));
    EXPECT_EQ(refused, (std::vector<std::pair<uint32_t, ina::Psn>>{{1, 2}}));
    EXPECT_EQ(m_switch->GetFramesRefused(), 1U);
    EXPECT_EQ(m_switch->GetFramesWhileDown(), 1U);
}

TEST_F(InaSwitchTest, ARebootLosesWhatIsInFurtherPasses)
{
    Build([](ina::Frame&) { return Verdict{Verdict::Exit::forward, 1}; });
    Arrive(MakeFrame(1, 2), 0);
    Simulator::Schedule(Picoseconds(1),
                        [this]()
                        {
                            m_switch->GoDown(std::make_unique<ScriptedProgram>(
                                [](ina::Frame& frame) { return ina::programs::forward(frame); }));
                        });
    Simulator::Run();
    EXPECT_TRUE(m_hosts[2].Arrivals().empty());
}

TEST_F(InaSwitchTest, MulticastsToTheGroupOfTheJobAndNobodyElse)
{
    BuildForwarding();
    m_switch->SetGroup(5, {0, 2, 3});
    ina::Frame frame = MakeFrame(1, ina::kAllWorkers);
    frame.job = 5;
    m_devices[1]->PutFrame(std::move(frame), 0);
    Simulator::Run();
    for (const ina::HostId member : std::vector<ina::HostId>{0, 2, 3})
    {
        EXPECT_EQ(m_hosts[member].Arrivals(), (std::vector<Arrival>{{2 * HOP, 1}})) << member;
    }
    EXPECT_TRUE(m_hosts[1].Arrivals().empty());
}

TEST_F(InaSwitchTest, ADroppedFrameGoesNowhereAndIsNotCountedAsLost)
{
    Build([](ina::Frame&) { return ina::rmt::kDrop; });
    m_devices[0]->PutFrame(MakeFrame(1, 2), 0);
    Simulator::Run();
    EXPECT_TRUE(m_hosts[2].Arrivals().empty());
    EXPECT_EQ(m_switch->GetFramesWithoutRoute(), 0U);
    EXPECT_EQ(m_ports[2]->GetCounters().framesDropped, 0U);
}

TEST_F(InaSwitchTest, ThePipelineTakesItsTime)
{
    m_switch->SetAttribute("PipelineLatency", TimeValue(NanoSeconds(350)));
    BuildForwarding();
    m_devices[0]->PutFrame(MakeFrame(1, 2), 0);
    Simulator::Run();
    EXPECT_EQ(m_hosts[2].Arrivals(), (std::vector<Arrival>{{2 * HOP + 350'000, 1}}));
}

TEST_F(InaSwitchTest, MarksExactlyTheFramesThatFindMoreThanTheThreshold)
{
    m_switch->SetAttribute("EcnThreshold", UintegerValue(3 * GRADIENT_BYTES));
    BuildForwarding();
    for (ina::Psn psn = 0; psn < 7; ++psn)
    {
        Arrive(MakeFrame(psn, 1), 0); // psn frames are queued before it
    }
    Arrive(MakeFrame(10, 2), 0); // another queue
    // Frame 7 finds 4 queued frames, frame 8 finds 3.
    Arrive(MakeFrame(7, 1), 3 * GRADIENT_PS);
    Arrive(MakeFrame(8, 1), 5 * GRADIENT_PS);
    Simulator::Run();
    EXPECT_EQ(MarkedAt(1), (std::vector<ina::Psn>{4, 5, 6, 7}));
    EXPECT_TRUE(MarkedAt(2).empty());
    EXPECT_EQ(m_ports[1]->GetCounters().framesMarked, 4U);
    EXPECT_EQ(m_ports[2]->GetCounters().framesMarked, 0U);
}

TEST_F(InaSwitchTest, OfOneMulticastFrameMarksTheCopiesBeforeLongQueuesOnly)
{
    m_switch->SetAttribute("EcnThreshold", UintegerValue(GRADIENT_BYTES));
    BuildForwarding();
    m_switch->SetGroup(0, {0, 1, 2, 3});
    for (const ina::Psn psn : {0U, 1U})
    {
        Arrive(MakeFrame(psn, 1), 0);
        Arrive(MakeFrame(psn, 3), 0);
    }
    Arrive(MakeFrame(2, ina::kAllWorkers), 0);
    Simulator::Run();
    for (const ina::HostId host : std::vector<ina::HostId>{0, 1, 2, 3})
    {
        const bool marked = host % 2 == 1;
        EXPECT_EQ(MarkedAt(host), marked ? std::vector<ina::Psn>{2} : std::vector<ina::Psn>{})
            << host;
        EXPECT_EQ(PsnsAt(host).back(), 2U) << host;
    }
}

TEST_F(InaSwitchTest, AQueueThatIsTracedHasCountedTheMark)
{
    m_switch->SetAttribute("EcnThreshold", UintegerValue(GRADIENT_BYTES));
    BuildForwarding();
    std::vector<uint64_t> marks;
    m_switch->TraceConnectWithoutContext(
        "Queue",
        Callback<void, uint32_t, uint64_t>(
            [this, &marks](uint32_t port, uint64_t)
            { marks.push_back(m_ports[port]->GetCounters().framesMarked); }));
    for (const ina::Psn psn : {0U, 1U, 2U})
    {
        Arrive(MakeFrame(psn, 1), 0);
    }
    Simulator::Run();
    EXPECT_EQ(marks, (std::vector<uint64_t>{0, 0, 1}));
}

TEST_F(InaSwitchTest, TheThresholdMayBeBeyondFourGigabytes)
{
    m_switch->SetAttribute("EcnThreshold", UintegerValue(5'000'000'000));
    BuildForwarding();
    for (ina::Psn psn = 0; psn < 7; ++psn)
    {
        Arrive(MakeFrame(psn, 1), 0);
    }
    Simulator::Run();
    EXPECT_TRUE(MarkedAt(1).empty());
}

TEST_F(InaSwitchTest, DropsWhatTheSharedBufferDoesNotHoldAndRecovers)
{
    m_switch->SetAttribute("BufferSize", UintegerValue(4 * GRADIENT_BYTES));
    BuildForwarding();
    for (ina::Psn psn = 0; psn < 3; ++psn)
    {
        Arrive(MakeFrame(psn, 1), 0);
    }
    Arrive(MakeFrame(3, 2), 0);
    Arrive(MakeFrame(4, 1), 0);               // the queue is full
    Arrive(MakeFrame(5, 2), 0);               // full for every port, too
    Arrive(MakeFrame(6, 3), GRADIENT_PS / 4); // a quarter each of two frames has left: bytes count
    Arrive(MakeFrame(7, 3), GRADIENT_PS);     // two frames have left
    Arrive(MakeFrame(8, 3), GRADIENT_PS);     //
    Arrive(MakeFrame(9, 3), GRADIENT_PS);     // full again
    Arrive(MakeFrame(10, 1), 100 * GRADIENT_PS);
    Simulator::Run();
    EXPECT_EQ(PsnsAt(1), (std::vector<ina::Psn>{0, 1, 2, 10}));
    EXPECT_EQ(PsnsAt(2), (std::vector<ina::Psn>{3}));
    EXPECT_EQ(PsnsAt(3), (std::vector<ina::Psn>{7, 8}));
    EXPECT_EQ(m_ports[1]->GetCounters().framesDropped, 1U);
    EXPECT_EQ(m_ports[2]->GetCounters().framesDropped, 1U);
    EXPECT_EQ(m_ports[3]->GetCounters().framesDropped, 2U);
    EXPECT_EQ(m_ports[1]->GetCounters().framesSent, m_devices[1]->GetCounters().framesReceived);
    EXPECT_EQ(m_ports[1]->GetCounters().framesOffered, 5U);
    EXPECT_EQ(m_ports[2]->GetCounters().framesOffered, 2U);
    EXPECT_EQ(m_ports[3]->GetCounters().framesOffered, 4U);
}

TEST_F(InaSwitchTest, CountsFramesThatHaveNoWayOut)
{
    BuildForwarding();
    m_switch->SetGroup(3, {});
    Arrive(MakeFrame(0, HOSTS), 0);
    ina::Frame unknownJob = MakeFrame(1, ina::kAllWorkers);
    unknownJob.job = 9;
    Arrive(unknownJob, 0);
    ina::Frame emptyGroup = MakeFrame(2, ina::kAllWorkers);
    emptyGroup.job = 3;
    Arrive(emptyGroup, 0);
    Simulator::Run();
    EXPECT_EQ(m_switch->GetFramesWithoutRoute(), 3U);
}

TEST_F(InaSwitchTest, ResubmittedFramesShareOnePathBack)
{
    m_switch->SetAttribute("ResubmitBandwidth", DataRateValue(DataRate("50Gbps")));
    m_switch->SetAttribute("PassLatency", TimeValue(NanoSeconds(400)));
    Build(
        [](ina::Frame& frame)
        {
            Verdict verdict = ina::rmt::kForward;
            verdict.resubmits = static_cast<uint8_t>(frame.psn); // further passes
            return verdict;
        });
    const int64_t path = 2 * GRADIENT_PS; // half the line's rate
    const int64_t pass = 400'000;
    Arrive(MakeFrame(1, 1), 0);
    Arrive(MakeFrame(1, 2), 0); // waits for the first frame on the path, not for its pass
    Arrive(MakeFrame(0, 3), 0); // not affected
    Arrive(MakeFrame(2, 0), 10'000'000);
    Simulator::Run();
    EXPECT_EQ(m_hosts[1].Arrivals(), (std::vector<Arrival>{{path + pass + HOP, 1}}));
    EXPECT_EQ(m_hosts[2].Arrivals(), (std::vector<Arrival>{{2 * path + pass + HOP, 1}}));
    EXPECT_EQ(m_hosts[3].Arrivals(), (std::vector<Arrival>{{HOP, 0}}));
    EXPECT_EQ(m_hosts[0].Arrivals(),
              (std::vector<Arrival>{{10'000'000 + 2 * (path + pass) + HOP, 2}}));
    EXPECT_EQ(m_switch->GetBytesResubmitted(), 4U * GRADIENT_BYTES);
}

TEST_F(InaSwitchTest, FramesDoNotQueueBehindOneThatIsStillBeingResubmitted)
{
    m_switch->SetAttribute("PassLatency", TimeValue(MicroSeconds(20)));
    m_switch->SetAttribute("EcnThreshold", UintegerValue(1));
    Build(
        [](ina::Frame& frame)
        {
            Verdict verdict = ina::rmt::kForward;
            verdict.resubmits = frame.psn == 0 ? 1 : 0;
            return verdict;
        });
    Arrive(MakeFrame(0, 1), 0);
    Arrive(MakeFrame(1, 1), 1'000'000);
    Simulator::Run();
    EXPECT_EQ(m_hosts[1].Arrivals(),
              (std::vector<Arrival>{{1'000'000 + HOP, 1}, {GRADIENT_PS + 20'000'000 + HOP, 0}}));
    for (const ina::Frame& frame : m_hosts[1].Frames())
    {
        EXPECT_FALSE(frame.has(ina::flag::ecn));
    }
}

TEST_F(InaSwitchTest, PassesOfValuesCostNothingUnlessTheyAreCharged)
{
    Build(
        [](ina::Frame& frame)
        {
            return frame.psn == 0 ? Verdict{Verdict::Exit::drop, 1, 3, 1000}
                                  : Verdict{Verdict::Exit::forward, 0, 3, 1000};
        });
    Arrive(MakeFrame(0, 1), 0);
    Arrive(MakeFrame(1, 1), 0);
    Simulator::Run();
    EXPECT_EQ(m_hosts[1].Arrivals(), (std::vector<Arrival>{{HOP, 1}}));
    EXPECT_EQ(m_switch->GetBytesResubmitted(), 0U);
    EXPECT_EQ(m_switch->GetBytesRecirculated(), 0U);
}

TEST_F(InaSwitchTest, ChargedRecirculationsShareThePortsWithThoseThatNobodyWaitsFor)
{
    m_switch->SetAttribute("ChargePasses", BooleanValue(true));
    m_switch->SetAttribute("RecirculateBandwidth", DataRateValue(DataRate("200Gbps")));
    m_switch->SetAttribute("PassLatency", TimeValue(NanoSeconds(400)));
    Build(
        [](ina::Frame& frame)
        {
            return frame.psn == 0 ? Verdict{Verdict::Exit::drop, 0, 2, 500}
                                  : Verdict{Verdict::Exit::forward, 0, 3, 1000};
        });
    const int64_t bytePs = 40; // at 200 Gbps
    Arrive(MakeFrame(0, 1), 0);
    Arrive(MakeFrame(1, 1), 0); // waits for the ports, not for the passes of the previous frame
    Arrive(MakeFrame(2, 2), 0);
    Simulator::Run();
    const int64_t passes = 3 * 400'000;
    EXPECT_EQ(m_hosts[1].Arrivals(), (std::vector<Arrival>{{1500 * bytePs + passes + HOP, 1}}));
    EXPECT_EQ(m_hosts[2].Arrivals(), (std::vector<Arrival>{{2500 * bytePs + passes + HOP, 2}}));
    EXPECT_EQ(m_switch->GetBytesRecirculated(), 2500U);
}

TEST_F(InaSwitchTest, ChargedResubmissionsOfAbsorbedFramesDoNotHoldUpTheOthers)
{
    m_switch->SetAttribute("ChargePasses", BooleanValue(true));
    Build(
        [](ina::Frame& frame) {
            return frame.psn == 0 ? Verdict{Verdict::Exit::drop, 1}
                                  : Verdict{Verdict::Exit::forward, 1};
        });
    Arrive(MakeFrame(0, 1), 0);
    Arrive(MakeFrame(1, 1), 0);
    Simulator::Run();
    EXPECT_EQ(m_hosts[1].Arrivals(), (std::vector<Arrival>{{GRADIENT_PS + 400'000 + HOP, 1}}));
    EXPECT_EQ(m_switch->GetBytesResubmitted(), 2U * GRADIENT_BYTES);
}

TEST_F(InaSwitchTest, AChargedSwapIsResubmittedAndThenRecirculated)
{
    m_switch->SetAttribute("ChargePasses", BooleanValue(true));
    m_switch->SetAttribute("RecirculateBandwidth", DataRateValue(DataRate("100Gbps")));
    Build([](ina::Frame& frame) { return ina::programs::swapped(frame.bytes); });
    Arrive(MakeFrame(1, 1), 0);
    Simulator::Run();
    EXPECT_EQ(m_hosts[1].Arrivals(),
              (std::vector<Arrival>{{2 * (GRADIENT_PS + 400'000) + HOP, 1}}));
}

/** A program whose frames take the passes of a script, one after the other, and then leave. */
class PassingProgram : public ina::programs::SwitchProgram
{
  public:
    /// Verdict of a pass, which is numbered from 0.
    using Script = std::function<Verdict(const ina::Frame&, uint8_t pass)>;

    PassingProgram(Script script, std::vector<ina::Psn>& passes) :
        m_script(std::move(script)), m_passes(passes)
    {
    }

    bool
    separates_passes() const override
    {
        return true;
    }

    Verdict
    process(ina::Frame& frame, ina::Time now) override
    {
        return all_passes(frame, now);
    }

    Verdict
    pass(ina::Frame& frame, ina::rmt::Carry& carry, ina::Time) override
    {
        m_passes.push_back(frame.psn);
        return m_script(frame, carry.step++);
    }

  private:
    Script m_script;
    std::vector<ina::Psn>& m_passes;
};

constexpr Verdict RESUBMIT{Verdict::Exit::drop, 1};
constexpr Verdict RECIRCULATE{Verdict::Exit::forward, 0, 1, 1000};

TEST_F(InaSwitchTest, OtherFramesComeBetweenSeparatePasses)
{
    std::vector<ina::Psn> passes;
    const auto script = [](const ina::Frame& frame, uint8_t pass)
    { return frame.psn == 0 && pass == 0 ? RESUBMIT : ina::rmt::kForward; };
    Build(std::make_unique<PassingProgram>(script, passes));
    Arrive(MakeFrame(0, 1), 0);
    Arrive(MakeFrame(1, 2), 100'000);
    Simulator::Run();
    EXPECT_EQ(passes, (std::vector<ina::Psn>{0, 1, 0}));
    EXPECT_EQ(m_hosts[1].Arrivals(), (std::vector<Arrival>{{400'000 + HOP, 0}}));
    EXPECT_TRUE(m_switch->IsIdle());
}

TEST_F(InaSwitchTest, EachPathKeepsTheOrderOfSeparatePassesAndBetweenPathsThereIsNone)
{
    m_switch->SetAttribute("RecirculateBandwidth", DataRateValue(DataRate("100Gbps")));
    std::vector<ina::Psn> passes;
    const auto script = [](const ina::Frame& frame, uint8_t pass)
    {
        if (pass == 1)
        {
            return ina::rmt::kForward;
        }
        return frame.psn % 2 == 0 ? RECIRCULATE : RESUBMIT;
    };
    Build(std::make_unique<PassingProgram>(script, passes));
    for (const ina::Psn psn : {0, 1, 2, 3})
    {
        Arrive(MakeFrame(psn, 1), psn);
    }
    Simulator::Run();
    // Resubmitted frames take no bandwidth, and overtake the recirculated ones.
    EXPECT_EQ(passes, (std::vector<ina::Psn>{0, 1, 2, 3, 1, 3, 0, 2}));
    EXPECT_EQ(m_switch->GetBytesRecirculated(), 2000U);
    EXPECT_EQ(m_switch->GetBytesResubmitted(), 2U * GRADIENT_BYTES);
}

TEST_F(InaSwitchTest, AFullRecirculationQueueLosesFramesBetweenTheirPasses)
{
    m_switch->SetAttribute("BufferSize", UintegerValue(1500));
    m_switch->SetAttribute("RecirculateBandwidth", DataRateValue(DataRate("1Gbps")));
    std::vector<ina::Psn> passes;
    const auto script = [](const ina::Frame&, uint8_t pass)
    { return pass == 0 ? RECIRCULATE : ina::rmt::kForward; };
    Build(std::make_unique<PassingProgram>(script, passes));
    for (const ina::Psn psn : {0, 1, 2})
    {
        Arrive(MakeFrame(psn, 1), psn);
    }
    Simulator::Run();
    EXPECT_EQ(passes, (std::vector<ina::Psn>{0, 1, 2, 0, 1}));
    EXPECT_EQ(m_switch->GetFramesLostBetweenPasses(), 1U);
}

TEST_F(InaSwitchTest, ARebootLosesFramesBetweenTheirPasses)
{
    std::vector<ina::Psn> passes;
    const auto script = [](const ina::Frame&, uint8_t pass)
    { return pass == 0 ? RESUBMIT : ina::rmt::kForward; };
    Build(std::make_unique<PassingProgram>(script, passes));
    Arrive(MakeFrame(0, 1), 0);
    Simulator::Schedule(PicoSeconds(200'000),
                        [this]() { m_switch->GoDown(ina::programs::make_forwarding()); });
    Simulator::Run();
    EXPECT_EQ(passes, (std::vector<ina::Psn>{0}));
    EXPECT_TRUE(m_switch->IsIdle());
}

TEST_F(InaSwitchTest, QueuesAreTracedAsEachFrameFindsThem)
{
    std::vector<std::pair<uint32_t, uint64_t>> queues;
    const auto note = [&queues](uint32_t port, uint64_t bytes)
    { queues.emplace_back(port, bytes); };
    BuildForwarding();
    m_switch->TraceConnectWithoutContext("Queue", Callback<void, uint32_t, uint64_t>(note));
    for (const ina::HostId host : std::vector<ina::HostId>{1, 1, 2, 1})
    {
        Arrive(MakeFrame(0, host), 0);
    }
    Simulator::Run();
    EXPECT_EQ(queues,
              (std::vector<std::pair<uint32_t, uint64_t>>{{1, 0}, {1, 306}, {2, 0}, {1, 612}}));
}

/** Jobs 0 and 1 of two workers each, with servers 2 and 3, and a single aggregator. */
class DsaOnSwitchTest : public InaSwitchTest
{
  protected:
    void
    SetUp() override
    {
        auto program = ina::programs::make_dsa({.aggregators = 1, .width = 0});
        program->install_job(0, {2, 2, 0, 0});
        program->install_job(1, {2, 3, 0, 0});
        Build(std::move(program));
        m_switch->SetGroup(0, {0, 1});
        m_switch->SetGroup(1, {0, 1});
        for (const char* event :
             {"Allocated", "Collided", "Preempted", "Evicted", "Completed", "Freed"})
        {
            const auto note = [this, event](uint16_t job, uint32_t psn, uint32_t index)
            {
                m_events.push_back(std::string(event) + " " + std::to_string(job) + ":" +
                                   std::to_string(psn) + "@" + std::to_string(index));
            };
            ASSERT_TRUE(m_switch->TraceConnectWithoutContext(
                std::string("Aggregator") + event,
                Callback<void, uint16_t, uint32_t, uint32_t>(note)));
        }
    }

    static ina::Frame
    Gradient(ina::JobId job, ina::Psn psn, uint16_t rank, uint16_t priority)
    {
        ina::Frame frame = MakeFrame(psn, static_cast<ina::HostId>(2 + job));
        frame.job = job;
        frame.worker = rank;
        frame.aggregator().bitmap0 = 1U << rank;
        frame.aggregator().fan_in_degree0 = 2;
        frame.aggregator().priority = priority;
        return frame;
    }

    std::vector<std::string> m_events;
};

TEST_F(DsaOnSwitchTest, ACompleteAggregateGoesToTheWorkersAndIsTraced)
{
    Arrive(Gradient(0, 7, 0, 10), 0);
    Arrive(Gradient(0, 7, 1, 10), 1000);
    Simulator::Run();
    EXPECT_EQ(m_events,
              (std::vector<std::string>{"Allocated 0:7@0", "Freed 0:7@0", "Completed 0:7@0"}));
    EXPECT_EQ(m_hosts[0].Arrivals(), (std::vector<Arrival>{{1000 + HOP, 7}}));
    EXPECT_EQ(m_hosts[1].Arrivals(), (std::vector<Arrival>{{1000 + HOP, 7}}));
}

TEST_F(DsaOnSwitchTest, APreemptionIsTracedAndPaysForItsSecondPass)
{
    Arrive(Gradient(0, 7, 0, 10), 0);
    Arrive(Gradient(1, 4, 0, 20), 0);
    Simulator::Run();
    EXPECT_EQ(m_events,
              (std::vector<std::string>{"Allocated 0:7@0",
                                        "Collided 1:4@0",
                                        "Preempted 1:4@0",
                                        "Allocated 1:4@0",
                                        "Evicted 0:7@0",
                                        "Freed 0:7@0"}));
    // The partial aggregate of job 0 goes to its server, host 2, via the path back (100 Gbps, 400
    // ns).
    EXPECT_EQ(m_hosts[2].Arrivals(), (std::vector<Arrival>{{GRADIENT_PS + 400'000 + HOP, 7}}));
    EXPECT_TRUE(m_hosts[2].Frames().at(0).has(ina::flag::partial));
    EXPECT_EQ(m_switch->GetBytesResubmitted(), std::size_t{GRADIENT_BYTES});
}

TEST_F(DsaOnSwitchTest, ALowerPriorityGoesToItsServerInOnePass)
{
    Arrive(Gradient(0, 7, 0, 20), 0);
    Arrive(Gradient(1, 4, 0, 10), 0);
    Simulator::Run();
    EXPECT_EQ(m_events, (std::vector<std::string>{"Allocated 0:7@0", "Collided 1:4@0"}));
    EXPECT_EQ(m_hosts[3].Arrivals(), (std::vector<Arrival>{{HOP, 4}}));
    EXPECT_EQ(m_switch->GetBytesResubmitted(), 0U);
}

/// Records events with the simulator's clock.
class AggregatorRecorder : public ina::programs::AggregatorObserver
{
  public:
    void
    aggregator_event(AggregatorEvent event, ina::JobId, ina::Psn, uint32_t) override
    {
        events.push_back(event);
        clocks.push_back(Simulator::Now().GetTimeStep());
    }

    std::vector<AggregatorEvent> events;
    std::vector<int64_t> clocks;
};

/** Two workers of a job send the same fragment at different times. */
class ObservedSwitchTest : public InaSwitchTest
{
  protected:
    static constexpr int64_t LATER = 1000;

    AggregatorRecorder
    Observe(bool traced)
    {
        AggregatorRecorder recorder;
        auto program = ina::programs::make_dsa({.aggregators = 1, .width = 0});
        program->install_job(0, {2, 2, 0, 0});
        Build(std::move(program));
        m_switch->SetGroup(0, {0, 1});
        m_switch->SetObserver(&recorder);
        if (traced)
        {
            m_switch->TraceConnectWithoutContext(
                "AggregatorFreed",
                Callback<void, uint16_t, uint32_t, uint32_t>([this](uint16_t, uint32_t, uint32_t)
                                                             { ++m_freed; }));
        }
        for (const uint16_t worker : std::initializer_list<uint16_t>{0, 1})
        {
            ina::Frame frame = MakeFrame(7, 2);
            frame.worker = worker;
            frame.aggregator().bitmap0 = 1U << worker;
            frame.aggregator().fan_in_degree0 = 2;
            m_devices[worker]->PutFrame(std::move(frame), worker * LATER);
        }
        Simulator::Run();
        return recorder;
    }

    const std::vector<AggregatorEvent> m_all{AggregatorEvent::allocated,
                                             AggregatorEvent::added,
                                             AggregatorEvent::freed,
                                             AggregatorEvent::completed};
    int m_freed{0};
};

TEST_F(ObservedSwitchTest, AnObserverEndsNoWindow)
{
    const AggregatorRecorder recorder = Observe(false);
    EXPECT_EQ(recorder.events, m_all);
    EXPECT_EQ(recorder.clocks, std::vector<int64_t>(m_all.size(), HOP));
}

TEST_F(ObservedSwitchTest, WithATraceBesideItTheClockIsRightForBoth)
{
    const AggregatorRecorder recorder = Observe(true);
    EXPECT_EQ(recorder.events, m_all);
    EXPECT_EQ(recorder.clocks, (std::vector<int64_t>{HOP, HOP + LATER, HOP + LATER, HOP + LATER}));
    EXPECT_EQ(m_freed, 1);
}

#ifdef NS3_LOG_ENABLE
TEST_F(InaSwitchTest, LogsWhatHappensToAggregators)
{
    auto program = ina::programs::make_dsa({.aggregators = 1, .width = 0});
    program->install_job(4, {1, 2, 0, 0});
    ina::Frame frame = MakeFrame(7, 2);
    frame.job = 4;
    frame.aggregator().bitmap0 = 1;
    frame.aggregator().fan_in_degree0 = 2;
    Build(std::move(program));
    LogComponentEnable("InaSwitch", LOG_LOGIC);
    testing::internal::CaptureStderr();
    Arrive(std::move(frame), 0);
    Simulator::Run();
    const std::string log = testing::internal::GetCapturedStderr();
    LogComponentDisable("InaSwitch", LOG_LOGIC);
    EXPECT_EQ(log, "aggregator 0 allocated: job 4, PSN 7\n");
}
#endif

} // namespace
} // namespace ns3
