/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-packet-end.h"

#include "ina-net-device.h"

#include "hw/protocol/time.hpp"

#include "ns3/abort.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaPacketEnd");

namespace
{

constexpr uint32_t ETHERNET_HEADER_BYTES = 14;

} // namespace

void
InaPacketEnd::SetCarriesPackets(bool carries)
{
    NS_LOG_FUNCTION(this << carries);
    if (carries != m_carriesPackets)
    {
        BeginChange("Packets");
    }
    m_carriesPackets = carries;
    if (carries && !m_packetQueue)
    {
        m_packetQueue = CreateObject<DropTailQueue<Packet>>();
        m_packetQueue->SetMaxSize(QueueSize("1000p"));
    }
}

void
InaPacketEnd::FindQueueInterface()
{
    if (const auto interface = Device().GetObject<NetDeviceQueueInterface>())
    {
        m_queueState = interface->GetTxQueue(0);
    }
}

InaPacketLine&
InaPacketEnd::PacketLine()
{
    if (!m_packetLine)
    {
        if (m_sending.direction == nullptr)
        {
            FindDirection();
        }
        NS_ABORT_MSG_UNLESS(
            m_carriesPackets && Receiver().CarriesPackets(),
            "set the attribute Packets at both ends of a link that carries packets");
        m_packetLine = std::make_unique<InaPacketLine>(Device());
    }
    return *m_packetLine;
}

InaPacketCounters
InaPacketEnd::GetPacketCounters() const
{
    InaPacketCounters all = m_packetLine ? m_packetLine->counters : InaPacketCounters();
    all.offered += m_traffic.framesOffered;
    all.sent += m_traffic.framesSent;
    all.bytesSent += m_traffic.bytesSent;
    all.received += m_traffic.framesReceived;
    all.bytesReceived += m_traffic.bytesReceived;
    all.dropped += m_traffic.framesDropped;
    all.marked += m_traffic.framesMarked;
    all.lost += m_traffic.framesLost + m_traffic.framesCorrupted;
    all.bytesLost += m_traffic.bytesLost;
    all.duplicated += m_traffic.framesDuplicated;
    all.bytesDuplicated += m_traffic.bytesDuplicated;
    return all;
}

std::size_t
InaPacketEnd::GetPacketsInFlight() const
{
    return m_packetLine ? m_packetLine->InFlight() : 0;
}

void
InaPacketEnd::ClosePackets()
{
    NS_LOG_FUNCTION(this);
    if (m_carriesPackets)
    {
        PacketLine().Close();
    }
}

int64_t
InaPacketEnd::LineSteps() const
{
    const InaPacketCounters packets = m_packetLine ? m_packetLine->counters : InaPacketCounters();
    const uint64_t bytes =
        m_sending.bytes + packets.bytesSent + (m_sending.frames + packets.sent) * m_framingBytes;
    return ina::serialisation_time(bytes, m_rate.GetBitRate()).count();
}

void
InaPacketEnd::TracePacketDrop(Ptr<const Packet> packet, int64_t ts)
{
    if (ts > Simulator::Now().GetTimeStep())
    {
        ReportAt(ts, m_macTxDropTrace, packet);
    }
    else
    {
        m_macTxDropTrace(packet);
    }
}

void
InaPacketEnd::TraceTransmission(Ptr<const Packet> packet, int64_t beginTs, int64_t endTs)
{
    ReportAt(beginTs, m_promiscSnifferTrace, packet);
    ReportAt(beginTs, m_snifferTrace, packet);
    ReportAt(beginTs, m_phyTxBeginTrace, packet);
    ReportAt(endTs, m_phyTxEndTrace, packet);
}

void
InaPacketEnd::TraceReceptionDrop(Ptr<const Packet> packet, int64_t ts)
{
    ReportAt(ts, m_phyRxDropTrace, packet);
}

void
InaPacketEnd::TraceHostDrop(Ptr<const Packet> packet, int64_t ts)
{
    ReportAt(ts, m_macRxDropTrace, packet);
}

bool
InaPacketEnd::DropsArrival(Ptr<Packet> packet)
{
    if (!m_receiveErrorModel || !m_receiveErrorModel->IsCorrupt(packet))
    {
        return false;
    }
    m_phyRxDropTrace(packet);
    return true;
}

void
InaPacketEnd::Report(const InaPacketTrace& trace, Ptr<const Packet> packet)
{
    if (!trace.IsEmpty())
    {
        trace(packet->Copy());
    }
}

/// Schedules a trace if a sink is connected. The trace is an event even at the current time,
/// because a sink may send.
void
InaPacketEnd::ReportAt(int64_t ts, const InaPacketTrace& trace, Ptr<const Packet> packet)
{
    if (trace.IsEmpty())
    {
        return;
    }
    const Ptr<InaNetDevice> device(&Device());
    const Ptr<const Packet> copy = packet->Copy();
    Simulator::ScheduleWithContext(device->GetNode()->GetId(),
                                   TimeStep(static_cast<uint64_t>(ts)) - Simulator::Now(),
                                   [device, &trace, copy]() { trace(copy); });
}

// Flow control like NetDeviceQueue::ConnectQueueTraces(), but without an event for each packet that
// leaves the queue, and for the current TxQueue even if it was replaced.

bool
InaPacketEnd::QueuePacket(Ptr<Packet> packet)
{
    NS_LOG_FUNCTION(this << packet);
    const bool hadRoom = m_packetQueue->Enqueue(packet);
    if (hadRoom && m_queueState)
    {
        m_queueState->NotifyQueuedBytes(packet->GetSize());
    }
    if (m_queueState && MayOverflow())
    {
        m_queueState->Stop();
    }
    return hadRoom;
}

Ptr<Packet>
InaPacketEnd::UnqueuePacket()
{
    const Ptr<Packet> packet = m_packetQueue->Dequeue();
    if (packet)
    {
        m_bytesUnqueued += packet->GetSize();
    }
    return packet;
}

void
InaPacketEnd::WakeQueueDisc()
{
    if (!m_queueState)
    {
        return;
    }
    m_queueState->NotifyTransmittedBytes(std::exchange(m_bytesUnqueued, 0));
    if (!MayOverflow())
    {
        m_queueState->Wake();
    }
}

/// Whether the TxQueue has no room for a packet of maximum length. An empty TxQueue never stops a
/// queue disc, because no departure would wake it again.
bool
InaPacketEnd::MayOverflow() const
{
    return !m_packetQueue->IsEmpty() &&
           m_packetQueue->WouldOverflow(1, m_mtu + ETHERNET_HEADER_BYTES);
}

void
InaPacketEnd::DisposePackets()
{
    m_packetLine.reset();
    m_packetQueue = nullptr;
    m_queueState = nullptr;
    m_receiveErrorModel = nullptr;
    m_packetHandler = nullptr;
}

} // namespace ns3
