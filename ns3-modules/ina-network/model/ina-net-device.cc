/* SPDX-License-Identifier: GPL-2.0-only */
#include "ina-net-device.h"

#include "ina-link-meter.h"

#include "hw/protocol/time.hpp"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/ethernet-header.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaNetDevice");
NS_OBJECT_ENSURE_REGISTERED(InaNetDevice);

namespace
{

constexpr uint64_t PS_PER_S = 1'000'000'000'000;

/// Between two frames; rounded up, so that there are no more of them in a second.
int64_t
StepsOfPacket(uint64_t packetsPerSecond)
{
    return packetsPerSecond == 0
               ? 0
               : static_cast<int64_t>((PS_PER_S + packetsPerSecond - 1) / packetsPerSecond);
}

} // namespace

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

void
InaFrameHandler::HandleArrivals(InaNetDevice& device, InaLinkDirection& direction, int64_t eventTs)
{
    device.HandOver(direction, eventTs);
}

void
InaNetDevice::HandleArrivals(InaLinkDirection& direction, int64_t eventTs)
{
    if (m_receiving.handler == nullptr)
    {
        HandOver(direction, eventTs);
    }
    else
    {
        m_receiving.handler->HandleArrivals(*this, direction, eventTs);
    }
}

void
InaNetDevice::HandOver(InaLinkDirection& direction, int64_t eventTs)
{
    struct
    {
        InaNetDevice& device;

        void
        Take(ina::Frame& frame, int64_t ts)
        {
            device.Deliver(frame, ts);
        }

        bool
        GoesOn(int64_t ts, int64_t nextTs)
        {
            InaFrameHandler* const handler = device.m_receiving.handler;
            return handler != nullptr && device.MayHandOverAhead(*handler, ts, nextTs);
        }
    } receiver{*this};

    direction.TakeArrivals(eventTs, receiver);
}

void
InaNetDevice::ComputeSerialisation(uint32_t bytes)
{
    m_sending.lastBytes = bytes;
    m_sending.lastSteps =
        std::max(ina::serialisation_time(bytes + m_framingBytes, m_rate.GetBitRate()).count(),
                 StepsOfPacket(m_packetsPerSecond));
}

void
InaNetDevice::FindDirection()
{
    m_sending.direction = &m_channel->DirectionFrom(*this);
    m_sending.delaySteps = m_channel->DelaySteps();
    InaNetDevice& receiver = m_channel->OtherEnd(*this);
    if (receiver.m_carriesPackets)
    {
        m_sending.direction->DeliverOneByOne();
    }
    receiver.m_packetSteps = StepsOfPacket(receiver.m_packetsPerSecond);
    if (receiver.m_packetSteps != 0)
    {
        m_receiver = &receiver;
        m_sending.justPushes = false;
    }
}

/// Of a frame that arrives then; nothing if it finds the receive queue full.
std::optional<int64_t>
InaNetDevice::TakenAt(int64_t arrivalTs)
{
    const int64_t begins = std::max(m_takenAt, arrivalTs);
    if (begins - arrivalTs >= static_cast<int64_t>(m_receiveQueue) * m_packetSteps)
    {
        return std::nullopt;
    }
    m_takenAt = begins + m_packetSteps;
    return m_takenAt;
}

std::optional<int64_t>
InaNetDevice::TakenByReceiver(int64_t arrivalTs)
{
    return m_receiver == nullptr ? arrivalTs : m_receiver->TakenAt(arrivalTs);
}

/// The frame that leaves at m_sending.idleAt.
void
InaNetDevice::SendWatched(ina::Frame&& frame, int64_t ts)
{
    if (m_meter != nullptr)
    {
        m_meter->Sent(ts, m_sending.idleAt, frame.bytes, m_counters.framesMarked);
    }
    SendThroughFaults(std::move(frame), m_sending.idleAt);
}

void
InaNetDevice::AddFaults(Ptr<InaLinkFaults> faults)
{
    m_faults.push_back(faults);
    m_sending.justPushes = false;
}

void
InaNetDevice::SetMeter(InaLinkMeter* meter)
{
    m_meter = meter;
    m_sending.justPushes = false;
}

/// A late frame has its turn in the host as if it were not, and comes up after that. Part of the
/// way of each frame where there are faults.
inline void
InaNetDevice::PushToHost(ina::Frame&& frame, int64_t arrivalTs, int64_t delaySteps)
{
    const std::optional<int64_t> taken = TakenByReceiver(arrivalTs);
    if (!taken)
    {
        CountLoss(frame);
    }
    else if (delaySteps == 0)
    {
        m_sending.direction->Push(std::move(frame), *taken);
    }
    else
    {
        m_sending.direction->PushLate(std::move(frame), *taken + delaySteps);
    }
}

/// What fails on the way is counted when it leaves.
void
InaNetDevice::SendThroughFaults(ina::Frame&& frame, int64_t leavesTs)
{
    int64_t delaySteps = 0;
    for (const Ptr<InaLinkFaults>& faults : m_faults)
    {
        const auto outcome = faults->Decide(frame, leavesTs);
        if (outcome.lost)
        {
            CountLoss(frame);
            return;
        }
        if (outcome.corrupted)
        {
            ++m_counters.framesCorrupted;
            m_counters.bytesLost += frame.bytes;
            m_corruptedTrace(frame);
            return;
        }
        if (outcome.duplicated)
        {
            ++m_counters.framesDuplicated;
            m_counters.bytesDuplicated += frame.bytes;
            m_duplicatedTrace(frame);
            PushToHost(ina::Frame(frame), leavesTs + m_sending.delaySteps, 0);
        }
        delaySteps += outcome.delay.count();
    }
    if (delaySteps != 0)
    {
        ++m_counters.framesDelayed;
        m_delayedTrace(frame);
    }
    PushToHost(std::move(frame), leavesTs + m_sending.delaySteps, delaySteps);
}

void
InaNetDevice::CountLoss(const ina::Frame& frame)
{
    ++m_counters.framesLost;
    m_counters.bytesLost += frame.bytes;
    m_lostTrace(frame);
}

InaLinkCounters
InaNetDevice::Counters() const
{
    InaLinkCounters all = m_counters;
    all.framesOffered = m_sending.framesOffered;
    all.framesSent = m_sending.frames;
    all.bytesSent = m_sending.bytes;
    all.framesReceived = m_receiving.frames;
    all.bytesReceived = m_receiving.bytes;
    return all;
}

int64_t
InaNetDevice::LineSteps() const
{
    const InaPacketCounters packets = PacketCounters();
    const uint64_t bytes =
        m_sending.bytes + packets.bytesSent + (m_sending.frames + packets.sent) * m_framingBytes;
    return ina::serialisation_time(bytes, m_rate.GetBitRate()).count();
}

void
InaNetDevice::CountDrop(const ina::Frame& frame, int64_t ts)
{
    NS_LOG_LOGIC("drops a frame of job " << frame.job << ", PSN " << frame.psn);
    ++m_counters.framesDropped;
    if (m_meter != nullptr)
    {
        m_meter->Dropped(ts);
    }
    m_dropTrace(frame);
}

void
InaNetDevice::CountMark()
{
    ++m_counters.framesMarked;
}

std::size_t
InaNetDevice::FramesInFlight() const
{
    return m_sending.direction == nullptr ? 0 : m_sending.direction->InFlight();
}

void
InaNetDevice::SetCarriesPackets(bool carries)
{
    m_carriesPackets = carries;
    if (carries && !m_packetQueue)
    {
        m_packetQueue = CreateObject<DropTailQueue<Packet>>();
        m_packetQueue->SetMaxSize(QueueSize("1000p"));
    }
}

InaPacketLine&
InaNetDevice::PacketLine()
{
    if (!m_packetLine)
    {
        if (m_sending.direction == nullptr)
        {
            FindDirection();
        }
        NS_ABORT_MSG_UNLESS(m_carriesPackets && Receiver().m_carriesPackets,
                            "both ends of a link with packets need the attribute Packets");
        m_packetLine = std::make_unique<InaPacketLine>(*this);
    }
    return *m_packetLine;
}

InaPacketCounters
InaNetDevice::PacketCounters() const
{
    return m_packetLine ? m_packetLine->counters : InaPacketCounters();
}

std::size_t
InaNetDevice::PacketsInFlight() const
{
    return m_packetLine ? m_packetLine->InFlight() : 0;
}

void
InaNetDevice::ClosePackets()
{
    if (m_carriesPackets)
    {
        PacketLine().Close();
    }
}

InaNetDevice&
InaNetDevice::Receiver() const
{
    return m_channel->OtherEnd(*this);
}

int64_t
InaNetDevice::OccupyLine(uint32_t bytes, int64_t ts)
{
    OccupyLineBy(bytes, ts);
    if (m_meter != nullptr)
    {
        m_meter->Sent(ts, m_sending.idleAt, bytes, m_counters.framesMarked);
    }
    return m_sending.idleAt;
}

void
InaNetDevice::TracePacketDrop(Ptr<const Packet> packet)
{
    m_macTxDropTrace(packet);
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
    return !m_carriesPackets;
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
    if (!m_carriesPackets || !IsLinkUp())
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
    return m_carriesPackets;
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
    return m_carriesPackets;
}

void
InaNetDevice::DoDispose()
{
    m_node = nullptr;
    m_channel = nullptr;
    m_sending.direction = nullptr;
    m_receiver = nullptr;
    m_receiving = {};
    m_arrivals = nullptr;
    m_faults.clear();
    m_meter = nullptr;
    m_packetLine.reset();
    m_packetQueue = nullptr;
    m_packetHandler = nullptr;
    m_receiveCallback.Nullify();
    m_promiscCallback.Nullify();
    NetDevice::DoDispose();
}

} // namespace ns3
