/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// Missing and wrong parts terminate the program with a message that names them.
#include "network-test-support.h"

#include "switch-models/programs/make_program.hpp"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/ina-link-faults.h"
#include "ns3/ina-link-helper.h"
#include "ns3/ina-switch-helper.h"
#include "ns3/ina-switch.h"
#include "ns3/mac48-address.h"
#include "ns3/packet.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace
{

constexpr std::size_t WIDTH = 62;

std::unique_ptr<ina::programs::SwitchProgram>
MakeDsa()
{
    return ina::programs::make_dsa({.aggregators = 100, .width = WIDTH});
}

/** Host 0 at a switch. */
class NetworkMisuseDeathTest : public testing::Test
{
  protected:
    void
    AddPort()
    {
        m_switchNode->AggregateObject(m_switch);
        m_switch->AddPort(m_link.right, 0);
    }

    /** A gradient of worker 0 of two. */
    ina::Frame
    MakeGradient(ina::JobId job)
    {
        ina::Frame frame = MakeFrame(0);
        frame.job = job;
        frame.aggregator().bitmap0 = 1;
        frame.aggregator().fan_in_degree0 = 2;
        return frame;
    }

    FreshSimulator m_fresh;
    Ptr<Node> m_switchNode{CreateObject<Node>()};
    TestLink m_link{"100Gbps", DELAY_PS, 0, CreateObject<Node>(), m_switchNode};
    Ptr<InaSwitch> m_switch{CreateObject<InaSwitch>()};
    ina::ValuePool m_pool{WIDTH};
};

TEST_F(NetworkMisuseDeathTest, ADeviceWithoutANode)
{
    const auto device = CreateObject<InaNetDevice>();
    EXPECT_DEATH(device->Attach(CreateObject<InaChannel>()), "no node: call Node::AddDevice\\(\\)");
    AddPort();
    EXPECT_DEATH(m_switch->AddPort(device, 1), "no node: call Node::AddDevice\\(\\)");
}

TEST_F(NetworkMisuseDeathTest, ADeviceWithoutAChannel)
{
    const auto device = CreateObject<InaNetDevice>();
    m_switchNode->AddDevice(device);
    EXPECT_DEATH(device->SendFrame(MakeFrame(0)), "no channel: call InaNetDevice::Attach\\(\\)");
}

TEST_F(NetworkMisuseDeathTest, AChannelWithOneEnd)
{
    const auto device = TestLink::AddDevice(m_switchNode, CreateObject<InaChannel>(), "100Gbps", 0);
    EXPECT_DEATH(device->SendFrame(MakeFrame(0)), "only one attached end");
}

TEST_F(NetworkMisuseDeathTest, AThirdEnd)
{
    const auto channel = DynamicCast<InaChannel>(m_link.left->GetChannel());
    EXPECT_DEATH(TestLink::AddDevice(m_switchNode, channel, "100Gbps", 0),
                 "both ends of an InaChannel are already attached");
}

TEST_F(NetworkMisuseDeathTest, ALinkOfOneNodeOrOfThree)
{
    EXPECT_DEATH(TestLink("100Gbps", DELAY_PS, 0, m_switchNode, m_switchNode),
                 "both ends of an InaChannel are on one node");
    EXPECT_DEATH(InaLinkHelper(ina::wire::Format::dsa).Install(NodeContainer(3)),
                 "a link connects two nodes: found 3");
}

TEST_F(NetworkMisuseDeathTest, PacketsAtOneEndOnly)
{
    m_link.left->SetAttribute("Packets", BooleanValue(true));
    EXPECT_DEATH(m_link.left->Send(Create<Packet>(100), Mac48Address::GetBroadcast(), 0x0800),
                 "set the attribute Packets at both ends of a link that carries packets");
}

TEST_F(NetworkMisuseDeathTest, APortForPacketsWithoutAChannel)
{
    AddPort();
    const auto device = CreateObject<InaNetDevice>();
    device->SetAttribute("Packets", BooleanValue(true));
    m_switchNode->AddDevice(device);
    EXPECT_DEATH(m_switch->AddPort(device, 1), "a port with Packets has no channel");
}

TEST_F(NetworkMisuseDeathTest, ALineWithoutARate)
{
    EXPECT_DEATH(m_link.left->SetAttribute("DataRate", DataRateValue(DataRate(0))),
                 "DataRate of an InaNetDevice must be more than 0bps");
}

TEST_F(NetworkMisuseDeathTest, ASwitchWithoutAProgram)
{
    AddPort();
    constexpr const char* message = "no program: call SetProgram\\(\\)";
    EXPECT_DEATH(m_switch->Initialize(), message);
    EXPECT_DEATH(m_switch->GetProgram(), message);
    EXPECT_DEATH(m_switch->InstallJob(0, {1, 2, 0, 0}, {{0}, 2, ina::wire::one_level(1), {0}}),
                 message);
    EXPECT_DEATH(m_switch->RemoveJob(0), message);
    EXPECT_DEATH(m_switch->GoDown(MakeDsa()), message);
}

TEST_F(NetworkMisuseDeathTest, TwoPortsForOneHost)
{
    AddPort();
    const TestLink second("100Gbps", DELAY_PS, 0, CreateObject<Node>(), m_switchNode);
    EXPECT_DEATH(m_switch->AddPort(second.right, 0), "host 0 already has a port at this InaSwitch");
}

TEST_F(NetworkMisuseDeathTest, OneDeviceForTwoPorts)
{
    AddPort();
    EXPECT_DEATH(m_switch->AddPort(m_link.right, 1), "already has a handler");
}

TEST_F(NetworkMisuseDeathTest, AHostWithoutAPort)
{
    AddPort();
    EXPECT_DEATH(m_switch->GetPort(7), "host 7 has no port of its own");
    EXPECT_DEATH(m_switch->SetGroup(0, {7}), "host 7 has no port of its own");
}

TEST_F(NetworkMisuseDeathTest, AGradientWithoutTheValuesThatTheProgramAdds)
{
    AddPort();
    m_switch->SetProgram(MakeDsa());
    m_switch->GetProgram().install_job(0, {2, 0, 0, 0});
    m_link.left->SendFrame(MakeGradient(0));
    EXPECT_DEATH(Simulator::Run(), "adds 62 values per gradient, but a gradient has 0");
}

TEST_F(NetworkMisuseDeathTest, AJobThatWasNotInstalled)
{
    AddPort();
    m_switch->SetProgram(MakeDsa());
    ina::Frame frame = MakeGradient(5);
    frame.values = m_pool.take();
    m_link.left->SendFrame(frame);
    m_link.left->SendFrame(frame);
    testing::internal::CaptureStderr();
    Simulator::Run();
    const std::string told = testing::internal::GetCapturedStderr();
    const std::string message = "drops the frames of job 5, which was never installed there";
    const std::size_t first = told.find(message);
    EXPECT_NE(first, std::string::npos) << told;
    EXPECT_EQ(told.find(message, first + 1), std::string::npos) << "it is told once";
    EXPECT_EQ(m_switch->GetFramesRejected(), 2U);
}

TEST_F(NetworkMisuseDeathTest, AFrameOfAnotherPacketFormat)
{
    AddPort();
    m_switch->SetProgram(MakeDsa());
    m_switch->GetProgram().install_job(0, {2, 0, 0, 0});
    ina::Frame frame = MakeFrame(0);
    frame.fields = ina::SwitchmlFields();
    frame.values = m_pool.take();
    m_link.left->SendFrame(frame);
    EXPECT_DEATH(Simulator::Run(),
                 "the program of an InaSwitch received a frame of another packet format");
    m_switch->SetRunAhead(true);
    EXPECT_DEATH(Simulator::Run(),
                 "the program of an InaSwitch received a frame of another packet format");
}

TEST_F(NetworkMisuseDeathTest, ARouteToNoPort)
{
    AddPort();
    EXPECT_DEATH(m_switch->SetRoutes({9}, {77}), "InaSwitch: found port 77; allowed: below 1");
    EXPECT_DEATH(m_switch->SetRoutes({9}, {}), "SetRoutes\\(\\) needs a port");
}

TEST_F(NetworkMisuseDeathTest, ASwitchOnNoNode)
{
    EXPECT_DEATH(m_switch->AddPort(m_link.right, 0),
                 "an InaSwitch has no node: call Node::AggregateObject\\(\\)");
    m_switch->SetProgram(MakeDsa());
    EXPECT_DEATH(m_switch->GoDown(MakeDsa()),
                 "an InaSwitch has no node: call Node::AggregateObject\\(\\)");
}

TEST_F(NetworkMisuseDeathTest, NothingInPlaceOfAnObject)
{
    EXPECT_DEATH(m_link.left->AddFaults(nullptr), "needs an InaLinkFaults");
    EXPECT_DEATH(m_link.left->Attach(nullptr), "needs an InaChannel");
    EXPECT_DEATH(m_switch->AddPort(nullptr, 0), "needs an InaNetDevice");
    EXPECT_DEATH(m_link.left->SetFrameReceiveCallback({}), "needs a callback");
    EXPECT_DEATH(m_link.left->GetChannel()->GetDevice(5), "no device 5");
    EXPECT_DEATH(InaSwitchHelper().Install(Ptr<Node>()), "needs a node");
    EXPECT_DEATH(InaLinkHelper(ina::wire::Format::dsa).Install(m_switchNode, nullptr),
                 "needs two nodes");
}

TEST_F(NetworkMisuseDeathTest, APathBackWithoutARate)
{
    for (const char* path : {"ResubmitBandwidth", "RecirculateBandwidth"})
    {
        EXPECT_DEATH(m_switch->SetAttribute(path, DataRateValue(DataRate(0))),
                     "of an InaSwitch must be more than 0bps");
    }
}

TEST_F(NetworkMisuseDeathTest, ThePipelineOfASwitchThatRuns)
{
    AddPort();
    m_switch->SetProgram(MakeDsa());
    m_switch->Initialize();
    EXPECT_DEATH(m_switch->SetAttribute("PipelineLatency", TimeValue(NanoSeconds(1))),
                 "PipelineLatency of an InaSwitch can no longer be changed");
}

TEST_F(NetworkMisuseDeathTest, AFrameInThePast)
{
    EXPECT_DEATH(m_link.left->SendFrame(MakeFrame(0), NanoSeconds(-1)),
                 "the delay must not be negative");
    Simulator::Schedule(Seconds(1), [this]() { m_link.left->PutFrame(MakeFrame(0), 0); });
    EXPECT_DEATH(Simulator::Run(), "in the past: the time is 1000000000000 ps");
}

TEST_F(NetworkMisuseDeathTest, AttributesThatWereReadDoNotChange)
{
    const auto channel = m_link.left->GetChannel();
    m_link.left->SetAttribute("DataRate", DataRateValue(DataRate("50Gbps")));
    channel->SetAttribute("Delay", TimeValue(NanoSeconds(1)));
    m_link.left->SendFrame(MakeFrame(0));
    constexpr const char* message = "of an Ina[A-Za-z]+ can no longer be changed";
    const auto stage = CreateObject<InaHostStage>();
    EXPECT_DEATH(m_link.right->SetAttribute("HostStage", PointerValue(stage)), message);
    EXPECT_DEATH(m_link.left->SetAttribute("DataRate", DataRateValue(DataRate("10Gbps"))), message);
    EXPECT_DEATH(m_link.left->SetAttribute("FramingBytes", UintegerValue(24)), message);
    EXPECT_DEATH(m_link.left->SetAttribute("Packets", BooleanValue(true)), message);
    EXPECT_DEATH(m_link.left->SetAttribute("HostStage", PointerValue(stage)), message);
    EXPECT_DEATH(channel->SetAttribute("Delay", TimeValue(NanoSeconds(2))), message);
}

TEST_F(NetworkMisuseDeathTest, ADelayThatBoundsTheWindowsOfASwitch)
{
    AddPort();
    m_switch->SetProgram(MakeDsa());
    m_switch->SetRunAhead(true);
    const TestLink second("100Gbps", DELAY_PS, 0, CreateObject<Node>(), m_switchNode);
    m_switch->AddPort(second.right, 1);
    m_link.left->SendFrame(MakeFrame(0, 1));
    const auto channel = second.left->GetChannel();
    Simulator::Schedule(MicroSeconds(4),
                        [&]() { channel->SetAttribute("Delay", TimeValue(NanoSeconds(1))); });
    EXPECT_DEATH(Simulator::Run(), "Delay of an InaChannel can no longer be changed");
}

TEST_F(NetworkMisuseDeathTest, AStageThatWasUsed)
{
    SetHostStage(m_link.left, {.per_packet = ina::Time(1000)});
    PointerValue pointer;
    m_link.left->GetAttribute("HostStage", pointer);
    const auto stage = pointer.Get<InaHostStage>();
    stage->SetAttribute("PerPacket", TimeValue(NanoSeconds(2)));
    m_link.left->SendFrame(MakeFrame(0));
    constexpr const char* message = "an InaHostStage can no longer be changed";
    EXPECT_DEATH(stage->SetAttribute("PerPacket", TimeValue(NanoSeconds(3))), message);
    EXPECT_DEATH(stage->Configure({}, 1), message);
    EXPECT_DEATH(stage->AssignStreams(1), message);
}

TEST_F(NetworkMisuseDeathTest, FaultsThatWereUsed)
{
    const auto faults = CreateObject<InaLinkFaults>();
    m_link.left->AddFaults(faults);
    faults->SetAttribute("Loss", DoubleValue(0.5));
    faults->SetLostFrames({1});
    m_link.left->SendFrame(MakeFrame(0));
    constexpr const char* message = "an InaLinkFaults can no longer be changed";
    EXPECT_DEATH(faults->SetAttribute("Loss", DoubleValue(0)), message);
    EXPECT_DEATH(faults->SetLostFrames({2}), message);
    EXPECT_DEATH(faults->Configure({}, 1), message);
    EXPECT_DEATH(faults->AssignStreams(1), message);
}

TEST_F(NetworkMisuseDeathTest, OneStageForTwoHosts)
{
    const auto stage = CreateObject<InaHostStage>();
    m_link.left->SetHostStage(stage);
    m_link.left->SetHostStage(stage);
    EXPECT_DEATH(m_link.right->SetHostStage(stage), "an InaHostStage belongs to two devices");
}

TEST_F(NetworkMisuseDeathTest, ThePortOfASwitchThatRunsKeepsItsRate)
{
    AddPort();
    m_switch->SetProgram(MakeDsa());
    m_link.right->SetAttribute("DataRate", DataRateValue(DataRate("50Gbps")));
    m_switch->Initialize();
    EXPECT_DEATH(m_link.right->SetAttribute("DataRate", DataRateValue(DataRate("10Gbps"))),
                 "DataRate of an InaNetDevice can no longer be changed");
}

/** Values that outlive their pool, if the simulation is destroyed after it. */
TEST(ValuesOfAFrame, MayOutliveTheirPool)
{
    const FreshSimulator fresh;
    const TestLink link;
    {
        ina::ValuePool pool(WIDTH);
        ina::Frame frame = MakeFrame(0);
        frame.values = pool.take();
        std::fill_n(frame.values.data(), WIDTH, 7);
        link.left->SendFrame(frame);
    }
    std::vector<int32_t> seen;
    link.right->SetFrameReceiveCallback(InaNetDevice::FrameCallback(
        [&seen](Ptr<InaNetDevice>, ina::Frame& frame)
        { seen.assign(frame.values.span().begin(), frame.values.span().end()); }));
    Simulator::Run();
    EXPECT_EQ(seen, std::vector<int32_t>(WIDTH, 7));
}

} // namespace
} // namespace ns3
