/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-packet-line.h"

#include "ina-net-device.h"

#include "ns3/node.h"

#include <algorithm>
#include <utility>

namespace ns3
{

InaPacketLine::Flight::Flight(uint32_t receiverNode, InaNetDevice& receiver) :
    InaEventSource(receiverNode), m_receiver(receiver)
{
}

void
InaPacketLine::Flight::Push(Ptr<Packet> packet, int64_t arrivalTs)
{
    // Nearly all arrive after all others.
    const auto at = m_packets.emplace_hint(m_packets.end(), arrivalTs, packet);
    if (at == m_packets.begin())
    {
        Arm(arrivalTs);
    }
}

void
InaPacketLine::Flight::Fire(int64_t ts)
{
    const Ptr<Packet> packet = m_packets.begin()->second;
    m_packets.erase(m_packets.begin());
    if (!m_packets.empty())
    {
        Arm(m_packets.begin()->first);
    }
    m_receiver.DeliverPacket(packet, ts);
}

InaPacketLine::Feed::Feed(uint32_t node, InaPacketLine& line) : InaEventSource(node), m_line(line)
{
}

void
InaPacketLine::Feed::Fire(int64_t ts)
{
    m_line.FeedLine(ts);
}

InaPacketLine::InaPacketLine(InaNetDevice& device) :
    m_device(device),
    m_inFlight(device.Receiver().GetNode()->GetId(), device.Receiver()),
    m_feed(device.GetNode()->GetId(), *this),
    m_aheadSteps(device.SerialisationSteps(PACKETS_AHEAD_BYTES))
{
}

void
InaPacketLine::Put(Ptr<Packet> packet, int64_t ts)
{
    ++counters.sent;
    counters.bytesSent += packet->GetSize();
    SendThroughFaults(packet, m_device.OccupyLine(packet->GetSize(), ts));
}

bool
InaPacketLine::Enqueue(Ptr<Packet> packet, int64_t ts)
{
    ++counters.offered;
    if (m_closed || !m_device.PacketQueue().Enqueue(packet))
    {
        CountDrop(packet);
        return false;
    }
    FeedLine(ts);
    return true;
}

void
InaPacketLine::CountDrop(Ptr<const Packet> packet)
{
    ++counters.dropped;
    m_device.TracePacketDrop(packet);
}

void
InaPacketLine::Close()
{
    m_closed = true;
    m_feed.Disarm();
    while (const Ptr<Packet> packet = m_device.PacketQueue().Dequeue())
    {
        CountDrop(packet);
    }
}

void
InaPacketLine::FeedLine(int64_t ts)
{
    LetLeave(ts);
    while (MayFeed(ts))
    {
        const Ptr<Packet> packet = m_device.PacketQueue().Dequeue();
        if (!packet)
        {
            return;
        }
        const int64_t steps = m_device.SerialisationSteps(packet->GetSize());
        Put(packet, ts);
        m_onLine.push_back({ts + m_device.Backlog(ts), steps});
        m_stepsOnLine += steps;
    }
    if (!m_feed.IsArmed())
    {
        m_feed.Arm(m_onLine.front().leavesTs);
    }
}

bool
InaPacketLine::MayFeed(int64_t ts) const
{
    const int64_t ofFrames = m_device.Backlog(ts) - m_stepsOnLine;
    return m_stepsOnLine < std::max(m_aheadSteps, ofFrames);
}

void
InaPacketLine::LetLeave(int64_t ts)
{
    while (!m_onLine.empty() && m_onLine.front().leavesTs <= ts)
    {
        m_stepsOnLine -= m_onLine.front().steps;
        m_onLine.pop_front();
    }
}

void
InaPacketLine::SendThroughFaults(Ptr<Packet> packet, int64_t leavesTs)
{
    const int64_t arrivalTs = leavesTs + m_device.DelaySteps();
    int64_t delaySteps = 0;
    for (const Ptr<InaLinkFaults>& faults : m_device.Faults())
    {
        const auto outcome = faults->DecideOnPacket(leavesTs);
        if (outcome.lost || outcome.corrupted)
        {
            CountLoss(packet);
            return;
        }
        if (outcome.duplicated)
        {
            ++counters.duplicated;
            counters.bytesDuplicated += packet->GetSize();
            PushToHost(packet->Copy(), arrivalTs, 0);
        }
        delaySteps += outcome.delay.count();
    }
    PushToHost(packet, arrivalTs, delaySteps);
}

/// A late packet has its turn in the host as if it were not, and comes up after that.
void
InaPacketLine::PushToHost(Ptr<Packet> packet, int64_t arrivalTs, int64_t delaySteps)
{
    const std::optional<int64_t> taken = m_device.TakenByReceiver(arrivalTs);
    if (!taken)
    {
        CountLoss(packet);
        return;
    }
    m_inFlight.Push(packet, *taken + delaySteps);
}

void
InaPacketLine::CountLoss(Ptr<const Packet> packet)
{
    ++counters.lost;
    counters.bytesLost += packet->GetSize();
}

} // namespace ns3
