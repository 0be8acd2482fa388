/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// The simulator's clock in callbacks that users connect to devices and switches.
#include "network-test-support.h"

#include "switch-models/programs/make_program.hpp"

#include "ns3/boolean.h"
#include "ns3/ina-link-faults.h"
#include "ns3/ina-link-helper.h"
#include "ns3/ina-switch.h"
#include "ns3/output-stream-wrapper.h"

#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{
namespace
{

constexpr int64_t HOP = GRADIENT_PS + DELAY_PS;
constexpr int64_t LATENCY = 350'000;

/** Hosts 0 and 1 at a switch with a pipeline latency of LATENCY. */
class ClockTest : public testing::TestWithParam<const char*>
{
  protected:
    ClockTest()
    {
        const auto node = CreateObject<Node>();
        node->AggregateObject(m_switch);
        m_switch->SetAttribute("PipelineLatency", TimeValue(Picoseconds(LATENCY)));
        m_switch->SetProgram(ina::programs::make_forwarding());
        m_switch->GetProgram().install_job(0, {1, 2, 0, 0});
        for (ina::HostId host = 0; host < 2; ++host)
        {
            const TestLink link("100Gbps", DELAY_PS, 0, CreateObject<Node>(), node);
            m_hosts.push_back(link.left);
            m_ports.push_back(link.right);
            m_switch->AddPort(link.right, host);
        }
    }

    /** Times at which the trace source fires. */
    std::vector<int64_t>&
    Clocks(InaNetDevice& device, const std::string& source)
    {
        auto& clocks = *m_clocks.emplace_back(std::make_unique<std::vector<int64_t>>());
        EXPECT_TRUE(device.TraceConnectWithoutContext(
            source,
            Callback<void, const ina::Frame&>(
                [&clocks](const ina::Frame&)
                { clocks.push_back(Simulator::Now().GetTimeStep()); })));
        return clocks;
    }

    FreshSimulator m_fresh{GetParam()};
    Ptr<InaSwitch> m_switch{CreateObject<InaSwitch>()};
    std::vector<Ptr<InaNetDevice>> m_hosts;
    std::vector<Ptr<InaNetDevice>> m_ports;
    std::vector<std::unique_ptr<std::vector<int64_t>>> m_clocks;
};

INSTANTIATE_TEST_SUITE_P(Simulators, ClockTest, testing::ValuesIn(SIMULATORS), NameOfSimulator);

TEST_P(ClockTest, AFrameEntersThePortOfASwitchAfterItsLatency)
{
    const auto& tx = Clocks(*m_ports[1], "Tx");
    const auto& rx = Clocks(*m_hosts[1], "Rx");
    m_hosts[0]->SendFrame(MakeFrame(0, 1));
    Simulator::Run();
    EXPECT_EQ(tx, (std::vector<int64_t>{HOP + LATENCY}));
    EXPECT_EQ(rx, (std::vector<int64_t>{2 * HOP + LATENCY}));
}

TEST_P(ClockTest, SoDoesTheTraceOfItsQueue)
{
    std::vector<int64_t> clocks;
    m_switch->TraceConnectWithoutContext(
        "Queue",
        Callback<void, uint32_t, uint64_t>([&clocks](uint32_t, uint64_t)
                                           { clocks.push_back(Simulator::Now().GetTimeStep()); }));
    m_hosts[0]->SendFrame(MakeFrame(0, 1));
    Simulator::Run();
    EXPECT_EQ(clocks, (std::vector<int64_t>{HOP + LATENCY}));
}

TEST_P(ClockTest, AnAsciiLineHasTheTimeOfItsEvent)
{
    std::ostringstream text;
    InaLinkHelper(ina::wire::Format::dsa)
        .EnableAscii(Create<OutputStreamWrapper>(&text), m_ports[1]);
    m_hosts[0]->SendFrame(MakeFrame(0, 1));
    Simulator::Run();
    EXPECT_NE(text.str().find("+ 0.000002874480 "), std::string::npos) << text.str();
}

TEST_P(ClockTest, AFrameIsLostWhenItHasLeftTheLine)
{
    const auto faults = CreateObject<InaLinkFaults>();
    faults->SetLostFrames({1});
    faults->AssignStreams(1);
    m_hosts[0]->AddFaults(faults);
    const auto& lost = Clocks(*m_hosts[0], "Lost");
    m_hosts[0]->SendFrame(MakeFrame(0, 1));
    m_hosts[0]->SendFrame(MakeFrame(1, 1));
    Simulator::Run();
    EXPECT_EQ(lost, (std::vector<int64_t>{2 * GRADIENT_PS}));
}

TEST_P(ClockTest, AFrameThatIsSentLaterLeavesLater)
{
    const auto& tx = Clocks(*m_hosts[0], "Tx");
    m_hosts[0]->SendFrame(MakeFrame(0, 1), NanoSeconds(7));
    Simulator::Run();
    EXPECT_EQ(tx, (std::vector<int64_t>{7'000}));
}

TEST_P(ClockTest, AFrameThatIsSentLaterHoldsNothingUp)
{
    Recorder recorder;
    m_hosts[1]->SetHandler(&recorder);
    m_hosts[0]->SendFrame(MakeFrame(1, 1), MicroSeconds(10));
    m_hosts[0]->SendFrame(MakeFrame(2, 1));
    Simulator::Run();
    EXPECT_EQ(recorder.Arrivals(),
              (std::vector<Arrival>{{2 * HOP + LATENCY, 2}, {10'000'000 + 2 * HOP + LATENCY, 1}}));
}

TEST_P(ClockTest, ACallbackMayReplaceItself)
{
    std::vector<ina::Psn> second;
    const auto note = [&](Ptr<InaNetDevice>, ina::Frame& frame) { second.push_back(frame.psn); };
    m_hosts[1]->SetFrameReceiveCallback(InaNetDevice::FrameCallback(
        [&](Ptr<InaNetDevice> device, ina::Frame&)
        { device->SetFrameReceiveCallback(InaNetDevice::FrameCallback(note)); }));
    m_hosts[0]->SendFrame(MakeFrame(1, 1));
    m_hosts[0]->SendFrame(MakeFrame(2, 1));
    Simulator::Run();
    EXPECT_EQ(second, (std::vector<ina::Psn>{2}));
}

TEST_P(ClockTest, ACallbackGetsEachFrameInItsOwnTime)
{
    std::vector<Arrival> arrivals;
    m_hosts[1]->SetFrameReceiveCallback(InaNetDevice::FrameCallback(
        [&](Ptr<InaNetDevice> device, ina::Frame& frame)
        {
            EXPECT_EQ(device, m_hosts[1]);
            arrivals.push_back({Simulator::Now().GetTimeStep(), frame.psn});
        }));
    m_hosts[0]->SendFrame(MakeFrame(0, 1));
    m_hosts[0]->SendFrame(MakeFrame(1, 1));
    Simulator::Run();
    EXPECT_EQ(arrivals,
              (std::vector<Arrival>{{2 * HOP + LATENCY, 0}, {2 * HOP + LATENCY + GRADIENT_PS, 1}}));
}

TEST_P(ClockTest, AThresholdThatChangesMarksFromTheNextFrameOn)
{
    // Each host sends a frame to host 1. One of these two frames waits at host 1's port.
    const auto sendTwo = [this]()
    {
        for (int host = 0; host < 2; ++host)
        {
            m_hosts[host]->SendFrame(MakeFrame(0, 1));
        }
    };
    Simulator::Schedule(Time(0), sendTwo);
    Simulator::Schedule(MicroSeconds(5),
                        [&]()
                        {
                            m_switch->SetAttribute("EcnThreshold", UintegerValue(1));
                            sendTwo();
                        });
    Simulator::Run();
    EXPECT_EQ(m_ports[1]->GetCounters().framesSent, 4U);
    EXPECT_EQ(m_ports[1]->GetCounters().framesMarked, 1U);
}

/** The trace is connected after the first allocation and before the second one. */
TEST_P(ClockTest, ATraceOfAggregatorsThatIsConnectedLateHearsOfWhatComesThen)
{
    ina::ValuePool pool(0);
    m_switch->SetProgram(ina::programs::make_dsa({.aggregators = 100, .width = 0}));
    m_switch->GetProgram().install_job(0, {1, 2, 0, 0});
    const auto send = [this](ina::Psn psn)
    {
        ina::Frame frame = MakeFrame(psn, 1);
        frame.aggregator().index = psn;
        frame.aggregator().bitmap0 = 1;
        frame.aggregator().fan_in_degree0 = 2;
        m_hosts[0]->SendFrame(frame);
    };
    std::vector<ina::Psn> allocated;
    Simulator::Schedule(Time(0), [&]() { send(1); });
    Simulator::Schedule(
        MicroSeconds(5),
        [&]()
        {
            m_switch->TraceConnectWithoutContext(
                "AggregatorAllocated",
                Callback<void, uint16_t, uint32_t, uint32_t>([&](uint16_t, uint32_t psn, uint32_t)
                                                             { allocated.push_back(psn); }));
            send(2);
        });
    Simulator::Run();
    EXPECT_EQ(allocated, (std::vector<ina::Psn>{2}));
}

} // namespace
} // namespace ns3
