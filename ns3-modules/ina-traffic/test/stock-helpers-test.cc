/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

/** ns-3's own helpers and its FlowMonitor on a star. */
#include "traffic-test-support.h"

#include "ns3/boolean.h"
#include "ns3/ethernet-header.h"
#include "ns3/flow-monitor-helper.h"
#include "ns3/global-value.h"
#include "ns3/ina-ecn-marker.h"
#include "ns3/ina-link-helper.h"
#include "ns3/ina-switch-helper.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-flow-classifier.h"
#include "ns3/ipv4-header.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace ns3
{
namespace
{

class StockHelpers : public testing::TestWithParam<const char*>
{
  protected:
    StockHelpers()
    {
        if (Time::GetResolution() != Time::PS)
        {
            Time::SetResolution(Time::PS);
        }
        GlobalValue::Bind("SimulatorImplementationType", StringValue(GetParam()));
        m_hosts.Create(3);
        InaLinkHelper links(ina::wire::Format::atp);
        links.SetDeviceAttribute("Packets", BooleanValue(true));
        const auto inaSwitch = InaSwitchHelper().Install(CreateObject<Node>());
        const auto devices = InaSwitchHelper::Connect(inaSwitch, m_hosts, links);
        InternetStackHelper internet;
        internet.Install(m_hosts);
        m_addresses = Ipv4AddressHelper("10.1.0.0", "255.255.0.0").Assign(devices);
    }

    ~StockHelpers() override
    {
        Simulator::Destroy();
    }

    NodeContainer m_hosts;
    Ipv4InterfaceContainer m_addresses;
};

INSTANTIATE_TEST_SUITE_P(Simulators,
                         StockHelpers,
                         testing::Values("ns3::InaSimulatorImpl", "ns3::DefaultSimulatorImpl"),
                         [](const auto& info) { return std::string(info.param).substr(5); });

// Includes ARP and messages of IPv6, which the switch floods.
TEST_P(StockHelpers, SendByTcp)
{
    const Ptr<PacketSink> sink = SendFromFirstToSecond(m_hosts, m_addresses);
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    EXPECT_EQ(sink->GetTotalRx(), BULK_BYTES);
}

TEST_P(StockHelpers, AreSeenByFlowMonitor)
{
    SendFromFirstToSecond(m_hosts, m_addresses);
    FlowMonitorHelper helper;
    const Ptr<FlowMonitor> monitor = helper.InstallAll();
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    const auto classifier = DynamicCast<Ipv4FlowClassifier>(helper.GetClassifier());
    const auto& flows = monitor->GetFlowStats();
    ASSERT_EQ(flows.size(), 2U) << "there and back";
    const auto& [id, there] = *flows.begin();
    EXPECT_EQ(classifier->FindFlow(id).destinationPort, SINK_PORT);
    EXPECT_GT(there.rxBytes, BULK_BYTES);
    EXPECT_EQ(there.rxPackets, there.txPackets);
    EXPECT_EQ(there.lostPackets, 0U);
    EXPECT_GE(there.delaySum / static_cast<int64_t>(there.rxPackets), MicroSeconds(5))
        << "two links of 2.5 us";
}

/// ECN field after marking a packet with this ECN field; checks whether it was marked.
Ipv4Header::EcnType
Marked(Ipv4Header::EcnType ecn, bool expected)
{
    const auto packet = Create<Packet>(100);
    Ipv4Header ip;
    ip.SetEcn(ecn);
    ip.SetPayloadSize(100);
    packet->AddHeader(ip);
    EthernetHeader ethernet(false);
    ethernet.SetLengthType(0x0800);
    packet->AddHeader(ethernet);
    EXPECT_EQ(InaMarkCongestion(packet), expected);
    packet->RemoveHeader(ethernet);
    packet->RemoveHeader(ip);
    EXPECT_EQ(packet->GetSize(), 100U);
    return ip.GetEcn();
}

TEST(EcnMarker, MarksWhatCanBeMarked)
{
    EXPECT_EQ(Marked(Ipv4Header::ECN_ECT0, true), Ipv4Header::ECN_CE);
    EXPECT_EQ(Marked(Ipv4Header::ECN_ECT1, true), Ipv4Header::ECN_CE);
    EXPECT_EQ(Marked(Ipv4Header::ECN_CE, true), Ipv4Header::ECN_CE);
    EXPECT_EQ(Marked(Ipv4Header::ECN_NotECT, false), Ipv4Header::ECN_NotECT);
}

TEST(EcnMarker, LeavesWhatIsNotOfIpv4)
{
    const auto packet = Create<Packet>(100);
    EthernetHeader ethernet(false);
    ethernet.SetLengthType(0x0806);
    packet->AddHeader(ethernet);
    EXPECT_FALSE(InaMarkCongestion(packet));
    EXPECT_EQ(packet->GetSize(), 100U + ethernet.GetSerializedSize());
}

} // namespace
} // namespace ns3
