/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// Programs in an InaSwitch that send frames of their own or have deadlines.
#include "network-test-support.h"

#include "tests/support/active_programs.hpp"

#include "ns3/boolean.h"
#include "ns3/ina-link-faults.h"
#include "ns3/ina-switch.h"

#include <array>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{
namespace
{

using ina::rmt::Verdict;
using ina::testing::RetransmittingProgram;
using ina::testing::ThreefoldProgram;

constexpr int64_t HOP = GRADIENT_PS + DELAY_PS;
constexpr int64_t TIMEOUT = RetransmittingProgram::kTimeout.count();

/** Keeps arriving frames, and sends them with the verdict of the test instead. */
class SendsWith : public ThreefoldProgram
{
  public:
    explicit SendsWith(const Verdict& verdict) : m_verdict(verdict) {}

    Verdict
    next(ina::Frame& out, ina::Time now) override
    {
        const Verdict verdict = ThreefoldProgram::next(out, now);
        return verdict.exit == Verdict::Exit::drop ? verdict : m_verdict;
    }

  private:
    Verdict m_verdict;
};

/** Forwards every frame, and may send others. */
class ActiveForwarding : public ina::programs::SwitchProgram
{
  public:
    Verdict
    process(ina::Frame& frame, ina::Time) override
    {
        return ina::programs::forward(frame);
    }

    bool
    is_active() const override
    {
        return true;
    }
};

/** From the installation of job 0 on, sends a frame to host 2 every period, three in total. */
class Beacon : public ActiveForwarding
{
  public:
    static constexpr ina::Time PERIOD = std::chrono::microseconds(10);

    ina::Time
    deadline() const override
    {
        return job_entry(0).workers == 0 || m_sent == 3 ? ina::kNever : m_due;
    }

    void
    expire(ina::Time now) override
    {
        m_sends = true;
        m_due = now + PERIOD;
        ++m_sent;
    }

    Verdict
    next(ina::Frame& out, ina::Time) override
    {
        if (!std::exchange(m_sends, false))
        {
            return ina::rmt::kDrop;
        }
        out = MakeFrame(m_sent, 2);
        return ina::rmt::kForward;
    }

  private:
    ina::Time m_due{0};
    bool m_sends{false};
    ina::Psn m_sent{0};
};

/** Hosts 0, 1 and 2 at a switch, with every implementation of the simulator. */
class ActiveProgramTest : public testing::TestWithParam<const char*>
{
  protected:
    static constexpr ina::HostId HOSTS = 3;

    void
    Build(std::unique_ptr<ina::programs::SwitchProgram> program)
    {
        const auto node = CreateObject<Node>();
        node->AggregateObject(m_switch);
        m_switch->SetRunAhead(true);
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

    /** The result for a gradient of host 0. */
    static ina::Frame
    ResultOf(ina::Psn psn)
    {
        ina::Frame result = MakeFrame(psn, 0);
        result.kind = ina::FrameKind::result;
        return result;
    }

    /** Loses the first frame to host 2 after the switch. */
    void
    LoseTheFirst()
    {
        const auto faults = CreateObject<InaLinkFaults>();
        faults->SetLostFrames({0});
        faults->AssignStreams(1);
        m_ports[2]->AddFaults(faults);
    }

    FreshSimulator m_fresh{GetParam()};
    Ptr<InaSwitch> m_switch{CreateObject<InaSwitch>()};
    std::array<Recorder, HOSTS> m_hosts;
    std::vector<Ptr<InaNetDevice>> m_devices;
    std::vector<Ptr<InaNetDevice>> m_ports;
};

INSTANTIATE_TEST_SUITE_P(Simulators,
                         ActiveProgramTest,
                         testing::ValuesIn(SIMULATORS),
                         NameOfSimulator);

TEST_P(ActiveProgramTest, AnswersOnePacketWithThreeThatFollowEachOtherOnTheLine)
{
    Build(std::make_unique<ThreefoldProgram>());
    m_devices[0]->PutFrame(MakeFrame(7, 2), 0);
    Simulator::Run();
    EXPECT_EQ(m_hosts[2].Arrivals(),
              (std::vector<Arrival>{{2 * HOP, 7},
                                    {2 * HOP + GRADIENT_PS, 7},
                                    {2 * HOP + 2 * GRADIENT_PS, 7}}));
    EXPECT_EQ(m_ports[2]->GetCounters().framesOffered, 3U);
}

TEST_P(ActiveProgramTest, WhatItSendsTakesThePipelineAndNoFurtherPassThatItsVerdictDoesNotHave)
{
    m_switch->SetAttribute("PipelineLatency", TimeValue(NanoSeconds(350)));
    m_switch->SetAttribute("ChargePasses", BooleanValue(true));
    Build(std::make_unique<ThreefoldProgram>());
    m_devices[0]->PutFrame(MakeFrame(7, 2), 0);
    Simulator::Run();
    ASSERT_EQ(m_hosts[2].Arrivals().size(), 3U);
    EXPECT_EQ(m_hosts[2].Arrivals().front(), (Arrival{2 * HOP + 350'000, 7}));
    EXPECT_EQ(m_switch->GetBytesResubmitted(), 0U);
    EXPECT_EQ(m_switch->GetBytesRecirculated(), 0U);
}

TEST_P(ActiveProgramTest, WhatItSendsIsChargedTheResubmissionsOfItsVerdict)
{
    m_switch->SetAttribute("ResubmitBandwidth", DataRateValue(DataRate("50Gbps")));
    m_switch->SetAttribute("PassLatency", TimeValue(NanoSeconds(400)));
    Build(std::make_unique<SendsWith>(Verdict{Verdict::Exit::forward, 1}));
    m_devices[0]->PutFrame(MakeFrame(7, 2), 0);
    Simulator::Run();
    const int64_t path = 2 * GRADIENT_PS; // half the line's rate
    const int64_t first = HOP + path + 400'000 + HOP;
    EXPECT_EQ(m_hosts[2].Arrivals(),
              (std::vector<Arrival>{{first, 7}, {first + path, 7}, {first + 2 * path, 7}}));
    EXPECT_EQ(m_switch->GetBytesResubmitted(), 3U * GRADIENT_BYTES);
}

TEST_P(ActiveProgramTest, WhatItSendsIsChargedTheRecirculationsOfItsVerdictIfPassesAre)
{
    m_switch->SetAttribute("ChargePasses", BooleanValue(true));
    m_switch->SetAttribute("RecirculateBandwidth", DataRateValue(DataRate("200Gbps")));
    m_switch->SetAttribute("PassLatency", TimeValue(NanoSeconds(400)));
    Build(std::make_unique<SendsWith>(Verdict{Verdict::Exit::forward, 0, 2, 1000}));
    m_devices[0]->PutFrame(MakeFrame(7, 2), 0);
    Simulator::Run();
    const int64_t ports = 1000 * 40; // in ps, at 200 Gbps
    const int64_t first = HOP + ports + 2 * 400'000 + HOP;
    EXPECT_EQ(m_hosts[2].Arrivals(),
              (std::vector<Arrival>{{first, 7}, {first + ports, 7}, {first + 2 * ports, 7}}));
    EXPECT_EQ(m_switch->GetBytesRecirculated(), 3000U);
}

TEST_P(ActiveProgramTest, WhatItSendsGoesToTheGroupOfTheJobIfItsVerdictSaysSo)
{
    Build(std::make_unique<SendsWith>(ina::rmt::kMulticast));
    m_switch->SetGroup(0, {1, 2});
    m_devices[0]->PutFrame(MakeFrame(7, 2), 0);
    Simulator::Run();
    EXPECT_TRUE(m_hosts[0].Arrivals().empty());
    EXPECT_EQ(m_hosts[1].Arrivals().size(), 3U);
    EXPECT_EQ(m_hosts[2].Arrivals(), m_hosts[1].Arrivals());
}

TEST_P(ActiveProgramTest, RetransmitsAfterATimeOutToThePicosecondWhatALinkLost)
{
    Build(std::make_unique<RetransmittingProgram>());
    LoseTheFirst();
    m_devices[0]->PutFrame(MakeFrame(7, 2), 0);
    Simulator::Run();
    const int64_t again = HOP + TIMEOUT + HOP;
    EXPECT_EQ(m_hosts[2].Arrivals(), (std::vector<Arrival>{{again, 7}, {again + TIMEOUT, 7}}));
}

TEST_P(ActiveProgramTest, RetransmitsOnlyThatWithoutAResultWhenAnEarlierDeadlineFell)
{
    Build(std::make_unique<RetransmittingProgram>());
    const int64_t later = 1'000'000;
    m_devices[0]->PutFrame(MakeFrame(7, 2), 0);
    m_devices[0]->PutFrame(MakeFrame(8, 2), later);
    m_devices[2]->PutFrame(ResultOf(7), TIMEOUT / 2);
    m_devices[2]->PutFrame(ResultOf(8), TIMEOUT + TIMEOUT / 2);
    Simulator::Run();
    EXPECT_EQ(
        m_hosts[2].Arrivals(),
        (std::vector<Arrival>{{2 * HOP, 7}, {2 * HOP + later, 8}, {2 * HOP + later + TIMEOUT, 8}}));
    EXPECT_EQ(m_hosts[0].Arrivals().size(), 2U);
}

/// At equal times, arrivals come before deadlines.
TEST_P(ActiveProgramTest, AResultThatArrivesAtTheDeadlineIsInTimeAndOneRightAfterIsNot)
{
    Build(std::make_unique<RetransmittingProgram>());
    m_devices[0]->PutFrame(MakeFrame(7, 2), 0);
    m_devices[1]->PutFrame(MakeFrame(8, 2), 0);
    m_devices[2]->PutFrame(ResultOf(7), TIMEOUT);
    m_devices[2]->PutFrame(ResultOf(8), TIMEOUT); // after the other frame on the line
    Simulator::Run();
    EXPECT_EQ(
        m_hosts[2].Arrivals(),
        (std::vector<Arrival>{{2 * HOP, 7}, {2 * HOP + GRADIENT_PS, 8}, {2 * HOP + TIMEOUT, 8}}));
}

TEST_P(ActiveProgramTest, ItsDeadlineMayComeWithAJob)
{
    Build(std::make_unique<Beacon>());
    const int64_t installed = 5 * HOP;
    Simulator::Schedule(
        Picoseconds(installed),
        [this]() {
            m_switch->InstallJob(0, {1, 2, 0, 0}, {{0}, 2, ina::wire::one_level(1), {0}});
        });
    Simulator::Run();
    const int64_t period = Beacon::PERIOD.count();
    EXPECT_EQ(m_hosts[2].Arrivals(),
              (std::vector<Arrival>{{installed + HOP, 1},
                                    {installed + period + HOP, 2},
                                    {installed + 2 * period + HOP, 3}}));
}

/** Sends a frame to host 2 as soon as a job is removed. */
class Obituary : public ActiveForwarding
{
  public:
    ina::Time
    deadline() const override
    {
        return m_isDue ? ina::Time(0) : ina::kNever;
    }

    void
    expire(ina::Time) override
    {
        m_isDue = false;
        m_sends = true;
    }

    Verdict
    next(ina::Frame& out, ina::Time) override
    {
        if (!std::exchange(m_sends, false))
        {
            return ina::rmt::kDrop;
        }
        out = MakeFrame(7, 2);
        return ina::rmt::kForward;
    }

  private:
    uint64_t
    free_aggregators(ina::JobId) override
    {
        m_isDue = true;
        return 0;
    }

    bool m_isDue{false};
    bool m_sends{false};
};

TEST_P(ActiveProgramTest, ItsDeadlineMayComeWithTheRemovalOfAJob)
{
    Build(std::make_unique<Obituary>());
    m_switch->InstallJob(0, {1, 2, 0, 0}, {{0}, 2, ina::wire::one_level(1), {0}});
    const int64_t removed = 5 * HOP;
    Simulator::Schedule(Picoseconds(removed), [this]() { m_switch->RemoveJob(0); });
    Simulator::Run();
    EXPECT_EQ(m_hosts[2].Arrivals(), (std::vector<Arrival>{{removed + HOP, 7}}));
}

TEST_P(ActiveProgramTest, ARebootEndsWhatWaitsForATimeOut)
{
    Build(std::make_unique<RetransmittingProgram>());
    m_devices[0]->PutFrame(MakeFrame(7, 2), 0);
    Simulator::Schedule(Picoseconds(2 * HOP),
                        [this]() { m_switch->GoDown(std::make_unique<RetransmittingProgram>()); });
    Simulator::Schedule(Picoseconds(3 * HOP), [this]() { m_switch->ComeBack(); });
    m_devices[0]->PutFrame(MakeFrame(8, 2), 4 * HOP);
    Simulator::Run();
    EXPECT_EQ(m_hosts[2].Arrivals(),
              (std::vector<Arrival>{{2 * HOP, 7},
                                    {6 * HOP, 8},
                                    {6 * HOP + TIMEOUT, 8},
                                    {6 * HOP + 2 * TIMEOUT, 8}}));
}

/** Counts frames that it gets while the simulator's clock has another time. */
template <bool isActive>
class Clocked : public ina::programs::SwitchProgram
{
  public:
    explicit Clocked(std::size_t& ahead) : m_ahead(ahead) {}

    Verdict
    process(ina::Frame& frame, ina::Time now) override
    {
        m_ahead += Simulator::Now().GetTimeStep() == now.count() ? 0 : 1;
        return ina::programs::forward(frame);
    }

    bool
    is_active() const override
    {
        return isActive;
    }

  private:
    std::size_t& m_ahead;
};

class ActiveProgramInWindowsTest : public ActiveProgramTest
{
  protected:
    template <bool isActive>
    std::size_t
    FramesAheadOfTheClock()
    {
        std::size_t ahead = 0;
        Build(std::make_unique<Clocked<isActive>>(ahead));
        for (ina::Psn psn = 0; psn < 10; ++psn)
        {
            m_devices[0]->PutFrame(MakeFrame(psn, 2), 0);
        }
        Simulator::Run();
        EXPECT_EQ(m_hosts[2].Arrivals().size(), 10U);
        return ahead;
    }
};

INSTANTIATE_TEST_SUITE_P(Simulators,
                         ActiveProgramInWindowsTest,
                         testing::Values(SIMULATORS[0]),
                         NameOfSimulator);

TEST_P(ActiveProgramInWindowsTest, GetsNoFrameAheadOfTheClock)
{
    EXPECT_EQ(FramesAheadOfTheClock<true>(), 0U);
}

TEST_P(ActiveProgramInWindowsTest, AProgramThatIsNotActiveStillDoes)
{
    EXPECT_EQ(FramesAheadOfTheClock<false>(), 9U);
}

} // namespace
} // namespace ns3
