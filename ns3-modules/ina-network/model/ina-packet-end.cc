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

namespace ns3
{

void
InaPacketEnd::SetCarriesPackets(bool carries)
{
    m_carriesPackets = carries;
    if (carries && !m_packetQueue)
    {
        m_packetQueue = CreateObject<DropTailQueue<Packet>>();
        m_packetQueue->SetMaxSize(QueueSize("1000p"));
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
        NS_ABORT_MSG_UNLESS(m_carriesPackets && Receiver().CarriesPackets(),
                            "both ends of a link with packets need the attribute Packets");
        m_packetLine = std::make_unique<InaPacketLine>(Device());
    }
    return *m_packetLine;
}

InaPacketCounters
InaPacketEnd::PacketCounters() const
{
    return m_packetLine ? m_packetLine->counters : InaPacketCounters();
}

std::size_t
InaPacketEnd::PacketsInFlight() const
{
    return m_packetLine ? m_packetLine->InFlight() : 0;
}

void
InaPacketEnd::ClosePackets()
{
    if (m_carriesPackets)
    {
        PacketLine().Close();
    }
}

int64_t
InaPacketEnd::LineSteps() const
{
    const InaPacketCounters packets = PacketCounters();
    const uint64_t bytes =
        m_sending.bytes + packets.bytesSent + (m_sending.frames + packets.sent) * m_framingBytes;
    return ina::serialisation_time(bytes, m_rate.GetBitRate()).count();
}

void
InaPacketEnd::TracePacketDrop(Ptr<const Packet> packet)
{
    m_macTxDropTrace(packet);
}

void
InaPacketEnd::DisposePackets()
{
    m_packetLine.reset();
    m_packetQueue = nullptr;
    m_packetHandler = nullptr;
}

} // namespace ns3
