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
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

InaPacketLine::Flight::Flight(uint32_t receiverNode, InaPacketLine& line) :
    InaEventSource(receiverNode), m_line(line)
{
}

void
InaPacketLine::Flight::Push(Ptr<Packet> packet, int64_t arrivalTs)
{
    // Nearly all packets arrive after all others in flight.
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
    m_line.Arrive(packet, ts);
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
    m_receiver(device.Receiver()),
    m_inFlight(m_receiver.GetNode()->GetId(), *this),
    m_feed(device.GetNode()->GetId(), *this),
    m_aheadSteps(device.SerialisationSteps(PACKETS_AHEAD_BYTES))
{
}

void
InaPacketLine::Put(Ptr<Packet> packet, int64_t ts)
{
    ++counters.sent;
    counters.bytesSent += packet->GetSize();
    const int64_t leavesTs = m_device.OccupyLine(packet->GetSize(), ts);
    const int64_t beginTs = leavesTs - m_device.SerialisationSteps(packet->GetSize());
    m_device.TraceTransmission(packet, beginTs, leavesTs);
    SendThroughFaults(packet, leavesTs);
}

bool
InaPacketLine::Enqueue(Ptr<Packet> packet, int64_t ts)
{
    ++counters.offered;
    if (m_closed || !m_device.QueuePacket(packet))
    {
        CountDrop(packet, ts);
        return false;
    }
    FeedLine(ts);
    return true;
}

void
InaPacketLine::CountDrop(Ptr<const Packet> packet, int64_t ts)
{
    ++counters.dropped;
    m_device.TracePacketDrop(packet, ts);
}

void
InaPacketLine::Refuse(Ptr<const Packet> packet)
{
    ++counters.offered;
    CountDrop(packet, Simulator::Now().GetTimeStep());
}

void
InaPacketLine::Close()
{
    m_closed = true;
    m_feed.Disarm();
    while (const Ptr<Packet> packet = m_device.UnqueuePacket())
    {
        CountDrop(packet, Simulator::Now().GetTimeStep());
    }
    m_device.WakeQueueDisc();
}

void
InaPacketLine::FeedLine(int64_t ts)
{
    LetLeave(ts);
    if (FillLine(ts) && !m_feed.IsArmed())
    {
        m_feed.Arm(m_onLine.front().untilTs);
    }
    m_device.WakeQueueDisc(); // last, because it may enqueue the next packets
}

/// Fills the line with queued packets. Returns whether it reached the limit.
bool
InaPacketLine::FillLine(int64_t ts)
{
    while (MayFeed(ts))
    {
        const Ptr<Packet> packet = m_device.UnqueuePacket();
        if (!packet)
        {
            return false;
        }
        const int64_t before = m_device.Backlog(ts);
        Put(packet, ts);
        const int64_t after = m_device.Backlog(ts);
        m_onLine.push_back({ts + after, after - before});
        m_stepsOnLine += after - before;
    }
    return true;
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
    while (!m_onLine.empty() && m_onLine.front().untilTs <= ts)
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
    for (const Ptr<InaLinkFaults>& faults : m_device.GetFaults())
    {
        const auto outcome = faults->DecideOnPacket(leavesTs);
        if (outcome.lost || outcome.corrupted)
        {
            CountLoss(packet);
            m_receiver.TraceReceptionDrop(packet, arrivalTs + delaySteps);
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

/// Passes a packet to the receiving host. A delayed packet takes its turn in the host as usual, and
/// is delayed afterwards.
void
InaPacketLine::PushToHost(Ptr<Packet> packet, int64_t arrivalTs, int64_t delaySteps)
{
    const int64_t taken = m_device.TakenByReceiver(packet->GetSize(), arrivalTs);
    if (taken == InaLinkDirection::NEVER)
    {
        CountLoss(packet);
        m_receiver.TraceHostDrop(packet, arrivalTs);
        return;
    }
    m_inFlight.Push(packet, taken + delaySteps);
}

void
InaPacketLine::Arrive(Ptr<Packet> packet, int64_t ts)
{
    if (m_receiver.DropsArrival(packet))
    {
        CountLoss(packet);
        return;
    }
    m_receiver.DeliverPacket(packet, ts);
}

void
InaPacketLine::CountLoss(Ptr<const Packet> packet)
{
    ++counters.lost;
    counters.bytesLost += packet->GetSize();
}

} // namespace ns3
