/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

/** ns-3's traffic control in front of devices with packets. */
#include "traffic-test-support.h"

#include "ns3-modules/ina-network/test/network-test-support.h"

#include "ns3/boolean.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/ina-link-helper.h"
#include "ns3/ina-stack-traffic.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/pointer.h"
#include "ns3/queue-disc.h"
#include "ns3/socket.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/udp-socket-factory.h"

#include <algorithm>

namespace ns3
{
namespace
{

constexpr uint32_t HEADERS = 42; // bytes of Ethernet, IPv4 and UDP headers

/** Two hosts on a link; the TxQueue of the first one is short. */
class QueueDiscTest : public testing::TestWithParam<const char*>
{
  protected:
    static constexpr uint32_t TX_QUEUE = 10;

    QueueDiscTest()
    {
        InaLinkHelper links(ina::wire::Format::atp);
        links.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
        links.SetDeviceAttribute("Packets", BooleanValue(true));
        m_devices = links.Install(m_hosts);
        const auto queue = CreateObject<DropTailQueue<Packet>>();
        queue->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, TX_QUEUE));
        First()->SetAttribute("TxQueue", PointerValue(queue));
    }

    Ptr<InaNetDevice>
    First() const
    {
        return DynamicCast<InaNetDevice>(m_devices.Get(0));
    }

    Ptr<PacketSink>
    InstallUdpSink() const
    {
        PacketSinkHelper sinks("ns3::UdpSocketFactory",
                               InetSocketAddress(Ipv4Address::GetAny(), SINK_PORT));
        return DynamicCast<PacketSink>(sinks.Install(m_hosts.Get(1)).Get(0));
    }

    /** Makes the first host send a datagram now, for ARP, and a burst of others afterwards. */
    void
    SendBurst(const Ipv4Address& to, int datagrams, uint32_t bytes)
    {
        m_socket = Socket::CreateSocket(m_hosts.Get(0), UdpSocketFactory::GetTypeId());
        m_socket->Connect(InetSocketAddress(to, SINK_PORT));
        Simulator::Schedule(Seconds(0), &QueueDiscTest::Send, this, 1, bytes);
        Simulator::Schedule(MilliSeconds(100), &QueueDiscTest::Send, this, datagrams, bytes);
    }

    void
    Send(int datagrams, uint32_t bytes)
    {
        for (int i = 0; i < datagrams; ++i)
        {
            EXPECT_GT(m_socket->Send(Create<Packet>(bytes)), 0);
        }
    }

    FreshSimulator m_simulator{GetParam()};
    NodeContainer m_hosts{2};
    NetDeviceContainer m_devices;
    Ptr<Socket> m_socket;
};

INSTANTIATE_TEST_SUITE_P(Simulators, QueueDiscTest, testing::ValuesIn(SIMULATORS), NameOfSimulator);

void
KeepMaximum(uint32_t* most, uint32_t, uint32_t value)
{
    *most = std::max(*most, value);
}

TEST_P(QueueDiscTest, FqCoDelHoldsWhatFindsNoRoomInTheTxQueue)
{
    constexpr int DATAGRAMS = 100;
    constexpr uint32_t BYTES = 1000;
    constexpr uint32_t ON_LINE = InaPacketLine::PACKETS_AHEAD_BYTES / (BYTES + HEADERS) + 1;
    InternetStackHelper internet;
    internet.SetIpv6StackInstall(false);
    internet.Install(m_hosts);
    TrafficControlHelper control;
    control.SetRootQueueDisc("ns3::FqCoDelQueueDisc");
    const Ptr<QueueDisc> disc = control.Install(m_devices).Get(0);
    const auto addresses = Ipv4AddressHelper("10.1.0.0", "255.255.0.0").Assign(m_devices);
    uint32_t most = 0;
    disc->TraceConnectWithoutContext("PacketsInQueue", MakeBoundCallback(&KeepMaximum, &most));
    const Ptr<PacketSink> sink = InstallUdpSink();
    SendBurst(addresses.GetAddress(1), DATAGRAMS, BYTES);
    Simulator::Run();
    EXPECT_EQ(sink->GetTotalRx(), (DATAGRAMS + 1) * BYTES);
    EXPECT_EQ(most, DATAGRAMS - ON_LINE - TX_QUEUE);
    EXPECT_EQ(disc->GetNPackets(), 0U);
    const QueueDisc::Stats& stats = disc->GetStats();
    EXPECT_EQ(stats.nTotalSentPackets, First()->GetPacketCounters().sent);
    EXPECT_EQ(stats.nTotalDroppedPackets, 0U);
    EXPECT_EQ(First()->GetPacketCounters().dropped, 0U);
}

TEST(QueueDisc, FqCoDelBeforeDevicesWithoutPacketsLosesWhatItHolds)
{
    const FreshSimulator simulator;
    NodeContainer hosts(2);
    const NetDeviceContainer devices = InaLinkHelper(ina::wire::Format::atp).Install(hosts);
    InternetStackHelper().Install(hosts);
    TrafficControlHelper control;
    control.SetRootQueueDisc("ns3::FqCoDelQueueDisc");
    const Ptr<QueueDisc> disc = control.Install(devices).Get(0);
    const auto addresses = Ipv4AddressHelper("10.1.0.0", "255.255.0.0").Assign(devices);
    uint32_t dropped = 0;
    devices.Get(0)->TraceConnectWithoutContext(
        "MacTxDrop",
        Callback<void, Ptr<const Packet>>([&dropped](Ptr<const Packet>) { ++dropped; }));
    const Ptr<PacketSink> sink = SendFromFirstToSecond(hosts, addresses);
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    EXPECT_EQ(sink->GetTotalRx(), 0U);
    EXPECT_GT(dropped, 0U);
    EXPECT_EQ(disc->GetNPackets(), 0U);
}

TEST_P(QueueDiscTest, TcpFinishesBehindTheQueueDiscThatNs3InstallsByDefault)
{
    InternetStackHelper().Install(m_hosts);
    const auto addresses = Ipv4AddressHelper("10.1.0.0", "255.255.0.0").Assign(m_devices);
    const auto disc =
        m_hosts.Get(0)->GetObject<TrafficControlLayer>()->GetRootQueueDiscOnDevice(First());
    ASSERT_NE(disc, nullptr);
    const Ptr<PacketSink> sink = SendFromFirstToSecond(m_hosts, addresses);
    Simulator::Stop(Seconds(100));
    Simulator::Run();
    EXPECT_EQ(sink->GetTotalRx(), BULK_BYTES);
    EXPECT_EQ(disc->GetStats().nTotalSentPackets, First()->GetPacketCounters().sent);
    EXPECT_EQ(First()->GetPacketCounters().dropped, 0U);
}

TEST_P(QueueDiscTest, HostsOfTrafficCountWhatIsDroppedBeforeAFullTxQueue)
{
    constexpr int DATAGRAMS = 20;
    constexpr uint32_t BYTES = 1472;
    constexpr uint32_t ON_LINE = InaPacketLine::PACKETS_AHEAD_BYTES / (BYTES + HEADERS) + 1;
    const auto traffic = CreateObject<InaStackTraffic>();
    traffic->AddHost(0, First());
    traffic->AddHost(1, DynamicCast<InaNetDevice>(m_devices.Get(1)));
    const Ptr<PacketSink> sink = InstallUdpSink();
    SendBurst("10.0.0.2", DATAGRAMS, BYTES);
    Simulator::Run();
    EXPECT_EQ(sink->GetTotalRx(), (1 + ON_LINE + TX_QUEUE) * BYTES);
    const InaPacketCounters counters = First()->GetPacketCounters();
    EXPECT_EQ(counters.dropped, DATAGRAMS - ON_LINE - TX_QUEUE);
    EXPECT_EQ(counters.offered, counters.sent + counters.dropped);
}

} // namespace
} // namespace ns3
