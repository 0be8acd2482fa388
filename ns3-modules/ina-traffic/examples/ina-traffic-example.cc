/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// A TCP flow between two hosts at a switch, set up by ns-3's own helpers and observed by
// FlowMonitor.
//
//   host 0 ---- switch ---- host 1        10 Gbps, 2.5 us each

#include "ns3/boolean.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/flow-monitor-helper.h"
#include "ns3/ina-ecn-marker.h"
#include "ns3/ina-link-helper.h"
#include "ns3/ina-switch-helper.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-flow-classifier.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <iomanip>
#include <iostream>

using namespace ns3;

namespace
{

constexpr uint16_t PORT = 9;

void
PrintFlow(const Ipv4FlowClassifier::FiveTuple& flow, const FlowMonitor::FlowStats& stats)
{
    const Time took = stats.timeLastRxPacket - stats.timeFirstTxPacket;
    std::cout << flow.sourceAddress << " to " << flow.destinationAddress << ": "
              << static_cast<double>(stats.rxBytes) / 1e6 << " MB in " << took.GetSeconds() * 1e3
              << " ms, " << stats.lostPackets << " packets lost" << std::endl;
}

} // namespace

int
main(int argc, char* argv[])
{
    uint64_t bytes = 5'000'000;
    CommandLine cmd(__FILE__);
    cmd.AddValue("bytes", "number of bytes that host 0 sends", bytes);
    cmd.Parse(argc, argv);

    Time::SetResolution(Time::PS);
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    // The default is in the range of milliseconds.
    Config::SetDefault("ns3::ArpL3Protocol::RequestJitter",
                       StringValue("ns3::ConstantRandomVariable[Constant=0]"));

    InaLinkHelper links(ina::wire::Format::dsa);
    links.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
    links.SetDeviceAttribute("Packets", BooleanValue(true));
    const auto inaSwitch = InaSwitchHelper().Install(CreateObject<Node>());
    inaSwitch->SetPacketMarker(MakeCallback(&InaMarkCongestion));
    const NodeContainer hosts(2);
    const NetDeviceContainer devices = InaSwitchHelper::Connect(inaSwitch, hosts, links);

    InternetStackHelper internet;
    internet.SetIpv6StackInstall(false);
    internet.Install(hosts);
    const auto addresses = Ipv4AddressHelper("10.1.0.0", "255.255.0.0").Assign(devices);
    BulkSendHelper senders("ns3::TcpSocketFactory",
                           InetSocketAddress(addresses.GetAddress(1), PORT));
    senders.SetAttribute("MaxBytes", UintegerValue(bytes));
    senders.Install(hosts.Get(0));
    PacketSinkHelper sinks("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), PORT));
    const auto sink = DynamicCast<PacketSink>(sinks.Install(hosts.Get(1)).Get(0));
    FlowMonitorHelper monitors;
    const Ptr<FlowMonitor> monitor = monitors.InstallAll();

    Simulator::Stop(Seconds(1));
    Simulator::Run();
    std::cout << std::fixed << std::setprecision(1);
    std::cout << "host 1 got " << sink->GetTotalRx() << " bytes" << std::endl;
    const auto classifier = DynamicCast<Ipv4FlowClassifier>(monitors.GetClassifier());
    for (const auto& [id, stats] : monitor->GetFlowStats())
    {
        PrintFlow(classifier->FindFlow(id), stats);
    }
    Simulator::Destroy();
    return 0;
}
