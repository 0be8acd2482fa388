/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-net-device.h"

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
            .AddAttribute("DataRate",
                          "Rate of the line; set it before the first frame.",
                          DataRateValue(DataRate("100Gbps")),
                          MakeDataRateAccessor(&InaNetDevice::m_rate),
                          MakeDataRateChecker())
            .AddAttribute(
                "FramingBytes",
                "Bytes that each frame occupies the line beyond its own: preamble, frame check "
                "sequence and gap (24 on Ethernet).",
                UintegerValue(0),
                MakeUintegerAccessor(&InaNetDevice::m_framingBytes),
                MakeUintegerChecker<uint32_t>(0, 1000))
            .AddAttribute("PacketsPerSecond",
                          "Frames that the host at this end takes from the line in a second, and "
                          "as many that it sends; 0: any number.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&InaNetDevice::m_packetsPerSecond),
                          MakeUintegerChecker<uint64_t>(0, PS_PER_S))
            .AddAttribute(
                "ReceiveQueue",
                "Frames that wait until the host takes them, at most, if PacketsPerSecond "
                "is not 0; what else comes is lost. By default the longest receive ring "
                "of many network cards.",
                UintegerValue(4096),
                MakeUintegerAccessor(&InaNetDevice::m_receiveQueue),
                MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Mtu",
                          "Largest frame, in bytes; for ns-3's own code, not enforced on frames.",
                          UintegerValue(1500),
                          MakeUintegerAccessor(&InaNetDevice::m_mtu),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute("TxQueue",
                          "Where packets wait for their turn on the line, those of a switch do "
                          "not; by default 1000 of them, if there are Packets.",
                          PointerValue(),
                          MakePointerAccessor(&InaNetDevice::m_packetQueue),
                          MakePointerChecker<Queue<Packet>>())
            .AddAttribute("Packets",
                          "Whether the device carries ns-3's packets beside frames; so must the "
                          "other end of its link. Set it before the first frame.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&InaNetDevice::SetCarriesPackets,
                                              &InaNetDevice::CarriesPackets),
                          MakeBooleanChecker())
            .AddTraceSource("Tx",
                            "A frame entered the egress FIFO.",
                            MakeTraceSourceAccessor(&InaNetDevice::m_txTrace),
                            "ns3::InaNetDevice::FrameTracedCallback")
            .AddTraceSource("Rx",
                            "A frame arrived.",
                            MakeTraceSourceAccessor(&InaNetDevice::m_rxTrace),
                            "ns3::InaNetDevice::FrameTracedCallback")
            .AddTraceSource("Drop",
                            "A frame found no room in the buffer before this device.",
                            MakeTraceSourceAccessor(&InaNetDevice::m_dropTrace),
                            "ns3::InaNetDevice::FrameTracedCallback")
            .AddTraceSource("Lost",
                            "A frame that this device sent will not arrive. "
                            "The simulator's clock may lag behind; a sink may not send.",
                            MakeTraceSourceAccessor(&InaNetDevice::m_lostTrace),
                            "ns3::InaNetDevice::FrameTracedCallback")
            .AddTraceSource("Corrupted",
                            "A frame that this device sent will arrive with a wrong checksum. "
                            "The simulator's clock may lag behind; a sink may not send.",
                            MakeTraceSourceAccessor(&InaNetDevice::m_corruptedTrace),
                            "ns3::InaNetDevice::FrameTracedCallback")
            .AddTraceSource("Duplicated",
                            "A frame that this device sent will arrive twice. "
                            "The simulator's clock may lag behind; a sink may not send.",
                            MakeTraceSourceAccessor(&InaNetDevice::m_duplicatedTrace),
                            "ns3::InaNetDevice::FrameTracedCallback")
            .AddTraceSource("Delayed",
                            "A frame that this device sent will be late, others may overtake it. "
                            "The simulator's clock may lag behind; a sink may not send.",
                            MakeTraceSourceAccessor(&InaNetDevice::m_delayedTrace),
                            "ns3::InaNetDevice::FrameTracedCallback")
            .AddTraceSource("MacTx",
                            "A packet came from above, with its Ethernet header.",
                            MakeTraceSourceAccessor(&InaNetDevice::m_macTxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacTxDrop",
                            "A packet found no room before this device.",
                            MakeTraceSourceAccessor(&InaNetDevice::m_macTxDropTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRx",
                            "A packet arrived that goes up, with its Ethernet header.",
                            MakeTraceSourceAccessor(&InaNetDevice::m_macRxTrace),
                            "ns3::Packet::TracedCallback");
    return tid;
}

void
InaNetDevice::Attach(Ptr<InaChannel> channel)
{
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
    InaPacketCounters& counters = PacketLine().counters;
    ++counters.received;
    counters.bytesReceived += packet->GetSize();
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
        m_macRxTrace(packet);
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

/// With packets there may be any number of hosts behind the switch at the other end.
bool
InaNetDevice::IsPointToPoint() const
{
    return !CarriesPackets();
}

bool
InaNetDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    return SendFrom(packet, m_address, dest, protocolNumber);
}

bool
InaNetDevice::SendFrom(Ptr<Packet> packet,
                       const Address& source,
                       const Address& dest,
                       uint16_t protocolNumber)
{
    if (!CarriesPackets() || !IsLinkUp())
    {
        NS_LOG_WARN("no packets here: the device needs the attribute Packets, and a link");
        return false;
    }
    EthernetHeader header(false);
    header.SetSource(Mac48Address::ConvertFrom(source));
    header.SetDestination(Mac48Address::ConvertFrom(dest));
    header.SetLengthType(protocolNumber);
    packet->AddHeader(header);
    m_macTxTrace(packet);
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
    m_receiveCallback = cb;
}

void
InaNetDevice::SetPromiscReceiveCallback(NetDevice::PromiscReceiveCallback cb)
{
    m_promiscCallback = cb;
}

bool
InaNetDevice::SupportsSendFrom() const
{
    return CarriesPackets();
}

void
InaNetDevice::DoDispose()
{
    m_node = nullptr;
    DisposePackets();
    DisposeReceiving();
    DisposeSending();
    m_receiveCallback.Nullify();
    m_promiscCallback.Nullify();
    NetDevice::DoDispose();
}

} // namespace ns3
