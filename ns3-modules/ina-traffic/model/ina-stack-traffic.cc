/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-stack-traffic.h"

#include "hw/cluster/traffic/traffic_host.hpp"

#include "ns3/abort.h"
#include "ns3/arp-cache.h"
#include "ns3/boolean.h"
#include "ns3/bulk-send-application.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/ina-protocol-time.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/onoff-application.h"
#include "ns3/packet-sink.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <sstream>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaStackTraffic");
NS_OBJECT_ENSURE_REGISTERED(InaStackTraffic);

using ina::cluster::traffic::Flow;

namespace
{

constexpr uint32_t FIRST_ADDRESS = 0x0a000001; // 10.0.0.1
constexpr uint64_t SEGMENTS_AT_ONCE = 10;      // maximum that an application passes to TCP
constexpr uint16_t FIRST_PORT = 1024;
constexpr uint64_t PORTS = 40000; // below the range from which hosts choose
// A host has 16384 source ports. Some ports are blocked until late segments can no longer arrive.
constexpr std::size_t MOST_FLOWS = 10000;
// ns-3 searches all sockets of a host for each packet. Sockets of finished flows remain for two
// segment lifetimes. Flows use ports in turn, so that a late segment of one flow never reaches
// another flow. A late segment is answered by a reset and changes no flow.
constexpr double SEGMENT_LIFETIME_S = 0.0001;

std::string
Constant(const Time& time)
{
    std::ostringstream text;
    text.precision(15);
    text << "ns3::ConstantRandomVariable[Constant=" << time.GetSeconds() << "]";
    return text.str();
}

/// Traffic control dropped the packet because the TxQueue was full. It counts as offered to the
/// device.
void
CountTrafficControlDrop(Ptr<InaNetDevice> device, Ptr<const Packet> packet)
{
    device->PacketLine().Refuse(packet);
}

/// Pauses of an OnOffApplication that starts now. The application begins with a pause, which must
/// have length 0 here.
class Pauses : public RandomVariableStream
{
  public:
    explicit Pauses(const Time& length) : m_start(Simulator::Now()), m_length(length) {}

    double
    GetValue() override
    {
        return Simulator::Now() == m_start ? 0 : m_length.GetSeconds();
    }

    uint32_t
    GetInteger() override
    {
        return static_cast<uint32_t>(GetValue());
    }

  private:
    Time m_start;
    Time m_length;
};

} // namespace

TypeId
InaStackTraffic::GetTypeId()
{
    static TypeId tid = TypeId("ns3::InaStackTraffic")
                            .SetParent<InaTraffic>()
                            .SetGroupName("Ina")
                            .AddConstructor<InaStackTraffic>();
    return tid;
}

/// Disables TCP timestamps, whose unit is a millisecond: round trips here take microseconds.
void
InaStackTraffic::SetDefaults(const Tcp& tcp)
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType",
                       TypeIdValue(TypeId::LookupByName(tcp.congestionControl)));
    Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue(tcp.ecn ? "On" : "Off"));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(MicroSeconds(1)));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(tcp.minRto));
    Config::SetDefault("ns3::TcpSocketBase::MaxSegLifetime", DoubleValue(SEGMENT_LIFETIME_S));
    Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(tcp.connectionTimeout));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout",
                       TimeValue(InaFromProtocol(ina::longest_silence(InaToProtocol(tcp.minRto)))));
    Config::SetDefault("ns3::TcpSocket::SegmentSize",
                       UintegerValue(ina::cluster::traffic::kSegmentBytes));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(tcp.bufferBytes));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(tcp.bufferBytes));
}

void
InaStackTraffic::AddHost(uint32_t machine, Ptr<InaNetDevice> device)
{
    NS_LOG_FUNCTION(this << machine << device);
    NS_ABORT_MSG_UNLESS(device && device->GetNode(),
                        "InaStackTraffic::AddHost() needs an InaNetDevice on a node");
    NS_ABORT_MSG_UNLESS(
        device->CarriesPackets(),
        "InaStackTraffic::AddHost() needs an InaNetDevice with the attribute Packets");
    const Ptr<Node> node = device->GetNode();
    InternetStackHelper internet;
    internet.SetIpv6StackInstall(false);
    internet.SetRoutingHelper(Ipv4StaticRoutingHelper());
    internet.Install(node);
    const Ipv4Address address(FIRST_ADDRESS + machine);
    const auto ip = node->GetObject<Ipv4>();
    const uint32_t interface = ip->AddInterface(device);
    ip->AddAddress(interface, Ipv4InterfaceAddress(address, Ipv4Mask("255.0.0.0")));
    ip->SetUp(interface);
    node->GetObject<TrafficControlLayer>()->TraceConnectWithoutContext(
        "TcDrop",
        MakeBoundCallback(&CountTrafficControlDrop, device));
    m_hosts[machine] = {device, address};
}

bool
InaStackTraffic::HasHost(uint32_t machine) const
{
    return m_hosts.contains(machine);
}

void
InaStackTraffic::StopHosts()
{
    for (const auto& [number, running] : m_running)
    {
        if (OnOffOf(GetFlows()[number].flow) != nullptr) // would continue without an answer
        {
            running.sender->Dispose();
        }
    }
    for (const auto& [machine, host] : m_hosts)
    {
        host.device->ClosePackets();
    }
}

void
InaStackTraffic::StartFlow(const Flow& flow)
{
    Host& from = m_hosts.at(flow.from);
    const Host& to = m_hosts.at(flow.to);
    const std::optional<uint16_t> port = FreePort(flow);
    if (!port)
    {
        Fail("flow " + std::to_string(flow.number) + " of the traffic starts when " +
             std::to_string(MOST_FLOWS) +
             " others of a host are not over; allowed: fewer, by a smaller load");
        return;
    }
    Introduce(from, to);
    Introduce(to, from);
    const Address address = InetSocketAddress(to.address, *port);
    const Ptr<PacketSink> sink = MakeSink(flow, address);
    to.device->GetNode()->AddApplication(sink);
    const Ptr<Application> sender = MakeSender(flow, address);
    from.device->GetNode()->AddApplication(sender);
    ++from.sends;
    m_running[flow.number] = {sink, sender, *port};
}

/// Called when all bytes have arrived: the receiver closes, too, so that no state of the flow
/// remains in the hosts.
void
InaStackTraffic::EndFlow(uint64_t number)
{
    const auto ended = m_running.extract(number);
    const Running& running = ended.mapped();
    for (const Ptr<Socket>& socket : running.sink->GetAcceptedSockets())
    {
        socket->Close();
    }
    running.sink->GetListeningSocket()->Close();
    running.sink->Dispose();
    running.sender->Dispose();
    const Flow& flow = GetFlows()[number].flow;
    m_hosts.at(flow.to).ports.erase(running.port);
    --m_hosts.at(flow.from).sends;
}

/// A port of the receiver, unless one of the hosts has too many flows.
std::optional<uint16_t>
InaStackTraffic::FreePort(const Flow& flow)
{
    std::set<uint16_t>& used = m_hosts.at(flow.to).ports;
    if (m_hosts.at(flow.from).sends >= MOST_FLOWS || used.size() >= MOST_FLOWS)
    {
        return std::nullopt;
    }
    uint64_t port = flow.number % PORTS;
    while (!used.insert(static_cast<uint16_t>(FIRST_PORT + port)).second)
    {
        port = (port + 1) % PORTS;
    }
    return static_cast<uint16_t>(FIRST_PORT + port);
}

Ptr<PacketSink>
InaStackTraffic::MakeSink(const Flow& flow, const Address& to)
{
    const auto sink = CreateObject<PacketSink>();
    sink->SetAttribute("Protocol", TypeIdValue(TypeId::LookupByName(SocketFactoryOf(flow))));
    sink->SetAttribute("Local", AddressValue(to));
    sink->TraceConnectWithoutContext(
        "Rx",
        MakeBoundCallback(&InaStackTraffic::Received, this, static_cast<std::size_t>(flow.number)));
    return sink;
}

Ptr<Application>
InaStackTraffic::MakeSender(const Flow& flow, const Address& to) const
{
    Ptr<Application> sender;
    const OnOff* const onOff = OnOffOf(flow);
    if (onOff == nullptr)
    {
        sender = CreateObject<BulkSendApplication>();
        sender->SetAttribute(
            "SendSize",
            UintegerValue(SEGMENTS_AT_ONCE * ina::cluster::traffic::kSegmentBytes));
        sender->SetAttribute("MaxBytes", UintegerValue(flow.bytes));
    }
    else
    {
        sender = CreateObject<OnOffApplication>();
        sender->SetAttribute("DataRate", DataRateValue(onOff->rate));
        sender->SetAttribute("PacketSize", UintegerValue(onOff->packetBytes));
        sender->SetAttribute("OnTime", StringValue(Constant(onOff->on)));
        sender->SetAttribute("OffTime", PointerValue(CreateObject<Pauses>(onOff->off)));
    }
    sender->SetAttribute("Protocol", TypeIdValue(TypeId::LookupByName(SocketFactoryOf(flow))));
    sender->SetAttribute("Remote", AddressValue(to));
    return sender;
}

const char*
InaStackTraffic::SocketFactoryOf(const Flow& flow) const
{
    return OnOffOf(flow) != nullptr ? "ns3::UdpSocketFactory" : "ns3::TcpSocketFactory";
}

/// Adds the Ethernet address of the other host.
void
InaStackTraffic::Introduce(const Host& host, const Host& other) const
{
    const auto ip = host.device->GetNode()->GetObject<Ipv4L3Protocol>();
    const auto interface = static_cast<uint32_t>(ip->GetInterfaceForDevice(host.device));
    const Ptr<ArpCache> cache = ip->GetInterface(interface)->GetArpCache();
    if (cache->Lookup(other.address) == nullptr)
    {
        ArpCache::Entry* const entry = cache->Add(other.address);
        entry->SetMacAddress(other.device->GetAddress());
        entry->MarkPermanent();
    }
}

void
InaStackTraffic::Received(InaStackTraffic* traffic,
                          std::size_t flow,
                          Ptr<const Packet> packet,
                          const Address&)
{
    if (traffic->AddReceived(flow, packet->GetSize(), Simulator::Now()))
    {
        Simulator::ScheduleNow(&InaStackTraffic::EndFlow, traffic, flow);
    }
}

void
InaStackTraffic::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_hosts.clear();
    m_running.clear();
    InaTraffic::DoDispose();
}

} // namespace ns3
