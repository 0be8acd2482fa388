/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-traffic.h"

#include "ns3/abort.h"
#include "ns3/arp-cache.h"
#include "ns3/boolean.h"
#include "ns3/bulk-send-application.h"
#include "ns3/config.h"
#include "ns3/double.h"
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

NS_LOG_COMPONENT_DEFINE("InaTraffic");
NS_OBJECT_ENSURE_REGISTERED(InaTraffic);

using ina::cluster::traffic::Flow;

namespace
{

constexpr uint32_t FIRST_ADDRESS = 0x0a000001; // 10.0.0.1
constexpr uint32_t SEGMENT_BYTES = 1460;       // in an Ethernet frame, without options
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
InaTraffic::GetTypeId()
{
    static TypeId tid = TypeId("ns3::InaTraffic")
                            .SetParent<Object>()
                            .SetGroupName("Ina")
                            .AddConstructor<InaTraffic>();
    return tid;
}

/// Disables TCP timestamps, whose unit is a millisecond: round trips here take microseconds.
void
InaTraffic::SetDefaults(const Tcp& tcp)
{
    constexpr int ACKS_LATE = 4; // quotient of timeout and delay of acknowledgements
    Config::SetDefault("ns3::TcpL4Protocol::SocketType",
                       TypeIdValue(TypeId::LookupByName(tcp.congestionControl)));
    Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue(tcp.ecn ? "On" : "Off"));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(MicroSeconds(1)));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(tcp.minRto));
    Config::SetDefault("ns3::TcpSocketBase::MaxSegLifetime", DoubleValue(SEGMENT_LIFETIME_S));
    Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(tcp.connectionTimeout));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(tcp.minRto / ACKS_LATE));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT_BYTES));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(tcp.bufferBytes));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(tcp.bufferBytes));
}

void
InaTraffic::Configure(const Setup& setup)
{
    NS_LOG_FUNCTION(this);
    m_schedule.emplace(setup.patterns, setup.seed);
    m_onOffs = setup.onOffs;
}

void
InaTraffic::AddHost(uint32_t machine, Ptr<InaNetDevice> device)
{
    NS_LOG_FUNCTION(this << machine << device);
    NS_ABORT_MSG_UNLESS(device && device->GetNode(),
                        "InaTraffic::AddHost() needs an InaNetDevice on a node");
    NS_ABORT_MSG_UNLESS(device->CarriesPackets(),
                        "InaTraffic::AddHost() needs an InaNetDevice with the attribute Packets");
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

void
InaTraffic::Start()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_UNLESS(m_schedule, "an InaTraffic has no patterns: call Configure() first");
    ScheduleNext();
}

void
InaTraffic::Stop()
{
    NS_LOG_FUNCTION(this);
    m_stopped = true;
    for (const auto& [number, running] : m_running)
    {
        if (m_onOffs.contains(m_flows[number].flow.pattern)) // would continue without an answer
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
InaTraffic::ScheduleNext()
{
    const auto flow = m_schedule->next();
    if (!flow)
    {
        return;
    }
    const Time start = TimeStep(static_cast<uint64_t>(flow->start.count()));
    Simulator::Schedule(start - Simulator::Now(), &InaTraffic::StartFlow, this, *flow);
}

void
InaTraffic::StartFlow(const Flow& flow)
{
    if (m_stopped)
    {
        return;
    }
    NS_LOG_INFO("flow " << flow.number << " from " << flow.from << " to " << flow.to);
    for (const uint32_t machine : {flow.from, flow.to})
    {
        NS_ABORT_MSG_UNLESS(m_hosts.contains(machine),
                            "flow " << flow.number << " of an InaTraffic needs machine " << machine
                                    << ": call AddHost()");
    }
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
    m_flows.push_back({.flow = flow});
    const Ptr<PacketSink> sink = MakeSink(flow, address);
    to.device->GetNode()->AddApplication(sink);
    const Ptr<Application> sender = MakeSender(flow, address);
    from.device->GetNode()->AddApplication(sender);
    ++from.sends;
    m_running[flow.number] = {sink, sender, *port};
    ScheduleNext();
}

/// Called when all bytes have arrived: the receiver closes, too, so that no state of the flow
/// remains in the hosts.
void
InaTraffic::EndFlow(uint64_t number)
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
    const Flow& flow = m_flows[number].flow;
    m_hosts.at(flow.to).ports.erase(running.port);
    --m_hosts.at(flow.from).sends;
}

void
InaTraffic::Fail(const std::string& what) const
{
    NS_ABORT_MSG_UNLESS(m_failureSink, what);
    m_failureSink(what);
}

/// A port of the receiver, unless one of the hosts has too many flows.
std::optional<uint16_t>
InaTraffic::FreePort(const Flow& flow)
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
InaTraffic::MakeSink(const Flow& flow, const Address& to)
{
    const auto sink = CreateObject<PacketSink>();
    sink->SetAttribute("Protocol", TypeIdValue(TypeId::LookupByName(SocketFactoryOf(flow))));
    sink->SetAttribute("Local", AddressValue(to));
    sink->TraceConnectWithoutContext(
        "Rx",
        MakeBoundCallback(&InaTraffic::Received, this, static_cast<std::size_t>(flow.number)));
    return sink;
}

Ptr<Application>
InaTraffic::MakeSender(const Flow& flow, const Address& to) const
{
    Ptr<Application> sender;
    const auto onOff = m_onOffs.find(flow.pattern);
    if (onOff == m_onOffs.end())
    {
        sender = CreateObject<BulkSendApplication>();
        sender->SetAttribute("SendSize", UintegerValue(SEGMENTS_AT_ONCE * SEGMENT_BYTES));
        sender->SetAttribute("MaxBytes", UintegerValue(flow.bytes));
    }
    else
    {
        sender = CreateObject<OnOffApplication>();
        sender->SetAttribute("DataRate", DataRateValue(onOff->second.rate));
        sender->SetAttribute("PacketSize", UintegerValue(onOff->second.packetBytes));
        sender->SetAttribute("OnTime", StringValue(Constant(onOff->second.on)));
        sender->SetAttribute("OffTime", PointerValue(CreateObject<Pauses>(onOff->second.off)));
    }
    sender->SetAttribute("Protocol", TypeIdValue(TypeId::LookupByName(SocketFactoryOf(flow))));
    sender->SetAttribute("Remote", AddressValue(to));
    return sender;
}

const char*
InaTraffic::SocketFactoryOf(const Flow& flow) const
{
    return m_onOffs.contains(flow.pattern) ? "ns3::UdpSocketFactory" : "ns3::TcpSocketFactory";
}

/// Adds the Ethernet address of the other host.
void
InaTraffic::Introduce(const Host& host, const Host& other) const
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
InaTraffic::Received(InaTraffic* traffic,
                     std::size_t flow,
                     Ptr<const Packet> packet,
                     const Address&)
{
    InaFlowResult& result = traffic->m_flows[flow];
    if (traffic->m_stopped || result.completed)
    {
        return;
    }
    result.bytesReceived += packet->GetSize();
    result.last = Simulator::Now();
    if (result.flow.bytes != 0 && result.bytesReceived >= result.flow.bytes)
    {
        result.completed = result.last;
        Simulator::ScheduleNow(&InaTraffic::EndFlow, traffic, result.flow.number);
    }
}

void
InaTraffic::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_hosts.clear();
    m_running.clear();
    Object::DoDispose();
}

} // namespace ns3
