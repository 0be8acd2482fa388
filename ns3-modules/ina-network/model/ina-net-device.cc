/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-net-device.h"

#include "ina-watched-trace.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/ethernet-header.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaNetDevice");
NS_OBJECT_ENSURE_REGISTERED(InaNetDevice);

TypeId
InaNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::InaNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("Ina")
            .AddConstructor<InaNetDevice>()
            .AddAttribute(
                "DataRate",
                "Rate of the line. It can no longer be changed once the simulation has started or "
                "the device has sent.",
                DataRateValue(DataRate("100Gbps")),
                MakeDataRateAccessor(&InaNetDevice::SetDataRate, &InaNetDevice::GetDataRate),
                MakeDataRateChecker())
            .AddAttribute(
                "FramingBytes",
                "Bytes that each frame occupies the line beyond its own: preamble, frame check "
                "sequence and gap (24 on Ethernet). Fixed when DataRate is.",
                UintegerValue(0),
                MakeUintegerAccessor(&InaNetDevice::SetFramingBytes,
                                     &InaNetDevice::GetFramingBytes),
                MakeUintegerChecker<uint32_t>(0, 1000))
            .AddAttribute(
                "HostStage",
                "Time that the host at this end needs for each frame or packet, in each "
                "direction. Default: none. Fixed when DataRate is.",
                PointerValue(),
                MakePointerAccessor(&InaNetDevice::SetHostStage, &InaNetDevice::GetHostStage),
                MakePointerChecker<InaHostStage>())
            .AddAttribute("Mtu",
                          "Maximum size of a packet that Send() takes, in bytes, without the "
                          "Ethernet header. Longer packets are dropped (MacTxDrop). Frames may "
                          "be longer.",
                          UintegerValue(1500),
                          MakeUintegerAccessor(&InaNetDevice::m_mtu),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute("TxQueue",
                          "Queue of packets before the line; at a switch packets bypass it. While "
                          "it is full, the queue disc before the device is stopped. Default: 1000 "
                          "packets, if there are Packets.",
                          PointerValue(),
                          MakePointerAccessor(&InaNetDevice::m_packetQueue),
                          MakePointerChecker<Queue<Packet>>())
            .AddAttribute("ReceiveErrorModel",
                          "Error model that drops packets which arrive here (PhyRxDrop). It is "
                          "asked when a packet has passed the HostStage. Frames are not "
                          "concerned: see InaLinkFaults.",
                          PointerValue(),
                          MakePointerAccessor(&InaNetDevice::m_receiveErrorModel),
                          MakePointerChecker<ErrorModel>())
            .AddAttribute("Packets",
                          "Whether the device carries ns-3's packets in addition to frames. Both "
                          "ends of a link must agree. Set it before the first frame.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&InaNetDevice::SetCarriesPackets,
                                              &InaNetDevice::CarriesPackets),
                          MakeBooleanChecker())
            .AddTraceSource("Tx",
                            "A frame entered the egress FIFO.",
                            MakeInaWatchedTraceAccessor<InaNetDevice>(&InaNetDevice::m_txTrace,
                                                                      &InaNetDevice::Watch),
                            "ns3::InaNetDevice::FrameTracedCallback")
            .AddTraceSource("Rx",
                            "A frame arrived, and has passed the HostStage.",
                            MakeInaWatchedTraceAccessor<InaNetDevice>(&InaNetDevice::m_rxTrace,
                                                                      &InaNetDevice::Watch),
                            "ns3::InaNetDevice::FrameTracedCallback")
            .AddTraceSource("Drop",
                            "A frame found no room in the buffer before this device.",
                            MakeInaWatchedTraceAccessor<InaNetDevice>(&InaNetDevice::m_dropTrace,
                                                                      &InaNetDevice::Watch),
                            "ns3::InaNetDevice::FrameTracedCallback")
            .AddTraceSource("Lost",
                            "A frame that this device sent left the line, and will not arrive.",
                            MakeInaWatchedTraceAccessor<InaNetDevice>(&InaNetDevice::m_lostTrace,
                                                                      &InaNetDevice::Watch),
                            "ns3::InaNetDevice::FrameTracedCallback")
            .AddTraceSource(
                "Corrupted",
                "A frame that this device sent left the line, and will arrive with a wrong "
                "checksum.",
                MakeInaWatchedTraceAccessor<InaNetDevice>(&InaNetDevice::m_corruptedTrace,
                                                          &InaNetDevice::Watch),
                "ns3::InaNetDevice::FrameTracedCallback")
            .AddTraceSource(
                "Duplicated",
                "A frame that this device sent left the line, and will arrive twice.",
                MakeInaWatchedTraceAccessor<InaNetDevice>(&InaNetDevice::m_duplicatedTrace,
                                                          &InaNetDevice::Watch),
                "ns3::InaNetDevice::FrameTracedCallback")
            .AddTraceSource(
                "Delayed",
                "A frame that this device sent left the line, and will be late: others may "
                "overtake it.",
                MakeInaWatchedTraceAccessor<InaNetDevice>(&InaNetDevice::m_delayedTrace,
                                                          &InaNetDevice::Watch),
                "ns3::InaNetDevice::FrameTracedCallback")
            .AddTraceSource("MacTx",
                            "A packet came from above. It has its Ethernet header from here on.",
                            MakeTraceSourceAccessor(&InaNetDevice::m_macTxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource(
                "MacTxDrop",
                "A packet was dropped before transmission: the TxQueue or the buffer of "
                "the switch is full, the packet is longer than Mtu, or the device has "
                "no Packets, no link, or is closed. Packets that did not get to MacTx have no "
                "Ethernet header.",
                MakeTraceSourceAccessor(&InaNetDevice::m_macTxDropTrace),
                "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRx",
                            "A packet arrived that goes up to the host: for this device, a group "
                            "or all. Not at the ports of a switch.",
                            MakeTraceSourceAccessor(&InaNetDevice::m_macRxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRxDrop",
                            "A packet arrived and found the Queue of the HostStage full.",
                            MakeTraceSourceAccessor(&InaNetDevice::m_macRxDropTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxBegin",
                            "The first bit of a packet leaves. Packets that were put on the line "
                            "before the sink was connected are not reported, as in PhyTxEnd and "
                            "the sniffers.",
                            MakeTraceSourceAccessor(&InaNetDevice::m_phyTxBeginTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxEnd",
                            "The last bit of a packet, and its FramingBytes, have left.",
                            MakeTraceSourceAccessor(&InaNetDevice::m_phyTxEndTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxDrop",
                            "A packet was dropped during reception: by the ReceiveErrorModel, or "
                            "lost or corrupted by InaLinkFaults of the other end, when it would "
                            "have arrived.",
                            MakeTraceSourceAccessor(&InaNetDevice::m_phyRxDropTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Sniffer",
                            "Non-promiscuous packet sniffer: the first bit of a packet leaves, or "
                            "a packet arrived for this device, a group or all.",
                            MakeTraceSourceAccessor(&InaNetDevice::m_snifferTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PromiscSniffer",
                            "Promiscuous packet sniffer: the first bit of a packet leaves, or any "
                            "packet arrived.",
                            MakeTraceSourceAccessor(&InaNetDevice::m_promiscSnifferTrace),
                            "ns3::Packet::TracedCallback");
    return tid;
}

/// Called when sinks of frames were connected or disconnected.
void
InaNetDevice::Watch()
{
    m_receiving.isWatched = false;
    for (const FrameTrace* trace : {&m_rxTrace,
                                    &m_txTrace,
                                    &m_dropTrace,
                                    &m_lostTrace,
                                    &m_corruptedTrace,
                                    &m_duplicatedTrace,
                                    &m_delayedTrace})
    {
        m_receiving.isWatched |= !trace->IsEmpty();
    }
}

void
InaNetDevice::Attach(Ptr<InaChannel> channel)
{
    NS_LOG_FUNCTION(this << channel);
    NS_ABORT_MSG_UNLESS(m_node,
                        "an InaNetDevice has no node: call Node::AddDevice() before Attach()");
    NS_ABORT_MSG_UNLESS(channel, "InaNetDevice::Attach() needs an InaChannel");
    m_channel = channel;
    channel->Attach(this);
}

NetDevice::PacketType
InaNetDevice::TypeOf(const Mac48Address& destination) const
{
    if (destination.IsBroadcast())
    {
        return PACKET_BROADCAST;
    }
    if (destination.IsGroup())
    {
        return PACKET_MULTICAST;
    }
    return destination == m_address ? PACKET_HOST : PACKET_OTHERHOST;
}

void
InaNetDevice::DeliverPacket(Ptr<Packet> packet, int64_t ts)
{
    NS_LOG_FUNCTION(this << packet << ts);
    InaPacketCounters& counters = PacketLine().counters;
    ++counters.received;
    counters.bytesReceived += packet->GetSize();
    Sniff(packet);
    if (m_packetHandler != nullptr)
    {
        m_packetHandler->HandlePacket(*this, packet, ts);
        return;
    }
    EthernetHeader header(false);
    packet->PeekHeader(header);
    const PacketType type = TypeOf(header.GetDestination());
    if (type != PACKET_OTHERHOST)
    {
        Report(m_macRxTrace, packet);
    }
    packet->RemoveHeader(header);
    if (!m_promiscCallback.IsNull())
    {
        m_promiscCallback(this,
                          packet->Copy(),
                          header.GetLengthType(),
                          header.GetSource(),
                          header.GetDestination(),
                          type);
    }
    if (type != PACKET_OTHERHOST && !m_receiveCallback.IsNull())
    {
        m_receiveCallback(this, packet, header.GetLengthType(), header.GetSource());
    }
}

void
InaNetDevice::Sniff(Ptr<const Packet> packet) const
{
    Report(m_promiscSnifferTrace, packet);
    if (m_snifferTrace.IsEmpty())
    {
        return;
    }
    EthernetHeader header(false);
    packet->PeekHeader(header);
    if (TypeOf(header.GetDestination()) != PACKET_OTHERHOST)
    {
        Report(m_snifferTrace, packet);
    }
}

void
InaNetDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
InaNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
InaNetDevice::GetChannel() const
{
    return m_channel;
}

void
InaNetDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

Address
InaNetDevice::GetAddress() const
{
    return m_address;
}

bool
InaNetDevice::SetMtu(const uint16_t mtu)
{
    m_mtu = mtu;
    return true;
}

uint16_t
InaNetDevice::GetMtu() const
{
    return m_mtu;
}

bool
InaNetDevice::IsLinkUp() const
{
    return m_channel && m_channel->GetNDevices() == 2;
}

void
InaNetDevice::AddLinkChangeCallback(Callback<void>)
{
    NS_LOG_LOGIC("a link never changes");
}

bool
InaNetDevice::IsBroadcast() const
{
    return true;
}

Address
InaNetDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
InaNetDevice::IsMulticast() const
{
    return true;
}

Address
InaNetDevice::GetMulticast(Ipv4Address multicastGroup) const
{
    return Mac48Address::GetMulticast(multicastGroup);
}

Address
InaNetDevice::GetMulticast(Ipv6Address addr) const
{
    return Mac48Address::GetMulticast(addr);
}

bool
InaNetDevice::IsBridge() const
{
    return false;
}

/// False for a device with packets, because the switch at the other end may lead to any number of
/// hosts.
bool
InaNetDevice::IsPointToPoint() const
{
    return !CarriesPackets();
}

bool
InaNetDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    NS_LOG_FUNCTION(this << packet << dest << protocolNumber);
    return SendFrom(packet, m_address, dest, protocolNumber);
}

bool
InaNetDevice::SendFrom(Ptr<Packet> packet,
                       const Address& source,
                       const Address& dest,
                       uint16_t protocolNumber)
{
    NS_LOG_FUNCTION(this << packet << source << dest << protocolNumber);
    if (!CarriesPackets() || !IsLinkUp())
    {
        NS_LOG_WARN("no packets here: the device needs the attribute Packets, and a link");
        m_macTxDropTrace(packet);
        return false;
    }
    const bool isTooLong = packet->GetSize() > m_mtu;
    EthernetHeader header(false);
    header.SetSource(Mac48Address::ConvertFrom(source));
    header.SetDestination(Mac48Address::ConvertFrom(dest));
    header.SetLengthType(protocolNumber);
    packet->AddHeader(header);
    m_macTxTrace(packet);
    if (isTooLong)
    {
        NS_LOG_WARN("a packet is longer than the Mtu of " << m_mtu << " bytes");
        PacketLine().Refuse(packet);
        return false;
    }
    return PacketLine().Enqueue(packet, Simulator::Now().GetTimeStep());
}

Ptr<Node>
InaNetDevice::GetNode() const
{
    return m_node;
}

void
InaNetDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
InaNetDevice::NeedsArp() const
{
    return CarriesPackets();
}

void
InaNetDevice::SetReceiveCallback(NetDevice::ReceiveCallback cb)
{
    NS_LOG_FUNCTION(this);
    m_receiveCallback = cb;
}

void
InaNetDevice::SetPromiscReceiveCallback(NetDevice::PromiscReceiveCallback cb)
{
    NS_LOG_FUNCTION(this);
    m_promiscCallback = cb;
}

bool
InaNetDevice::SupportsSendFrom() const
{
    return CarriesPackets();
}

/// Queue discs find the device by its NetDeviceQueueInterface. Without one, FqCoDel's quantum is 0,
/// and it never ends.
void
InaNetDevice::NotifyConstructionCompleted()
{
    NetDevice::NotifyConstructionCompleted();
    AggregateObject(CreateObject<NetDeviceQueueInterface>());
}

void
InaNetDevice::NotifyNewAggregate()
{
    FindQueueInterface();
    NetDevice::NotifyNewAggregate();
}

void
InaNetDevice::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_node = nullptr;
    DisposePackets();
    DisposeReceiving();
    DisposeSending();
    m_receiveCallback.Nullify();
    m_promiscCallback.Nullify();
    NetDevice::DoDispose();
}

} // namespace ns3
