/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-frame-sender.h"

#include "ina-link-meter.h"
#include "ina-net-device.h"

#include "hw/protocol/time.hpp"

#include "ns3/log.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaFrameSender");

void
InaFrameSender::ComputeSerialisation(uint32_t bytes)
{
    m_sending.lastBytes = bytes;
    m_sending.lastSteps =
        std::max(ina::serialisation_time(bytes + m_framingBytes, m_rate.GetBitRate()).count(),
                 StepsOfFrame());
}

int64_t
InaFrameSender::StepsOfFrame() const
{
    return m_packetsPerSecond == 0
               ? 0
               : static_cast<int64_t>((PS_PER_S + m_packetsPerSecond - 1) / m_packetsPerSecond);
}

void
InaFrameSender::FindDirection()
{
    m_sending.direction = &m_channel->DirectionFrom(Device());
    m_sending.delaySteps = m_channel->DelaySteps();
    InaNetDevice& receiver = Receiver();
    if (receiver.CarriesPackets())
    {
        m_sending.direction->DeliverOneByOne();
    }
    if (receiver.PaceReceiving())
    {
        m_receiver = &receiver;
        m_sending.justPushes = false;
    }
}

std::optional<int64_t>
InaFrameSender::TakenByReceiver(int64_t arrivalTs)
{
    return m_receiver == nullptr ? arrivalTs : m_receiver->TakenAt(arrivalTs);
}

/// The frame that leaves at m_sending.idleAt.
void
InaFrameSender::SendWatched(ina::Frame&& frame, int64_t ts)
{
    if (m_meter != nullptr)
    {
        m_meter->Sent(ts, m_sending.idleAt, frame.bytes, m_counters.framesMarked);
    }
    SendThroughFaults(std::move(frame), m_sending.idleAt);
}

void
InaFrameSender::AddFaults(Ptr<InaLinkFaults> faults)
{
    m_faults.push_back(faults);
    m_sending.justPushes = false;
}

void
InaFrameSender::SetMeter(InaLinkMeter* meter)
{
    m_meter = meter;
    m_sending.justPushes = false;
}

/// A late frame has its turn in the host as if it were not, and comes up after that. Part of the
/// way of each frame where there are faults.
inline void
InaFrameSender::PushToHost(ina::Frame&& frame, int64_t arrivalTs, int64_t delaySteps)
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

/// A frame that gets lost on the way is counted when it leaves.
void
InaFrameSender::SendThroughFaults(ina::Frame&& frame, int64_t leavesTs)
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
InaFrameSender::CountLoss(const ina::Frame& frame)
{
    ++m_counters.framesLost;
    m_counters.bytesLost += frame.bytes;
    m_lostTrace(frame);
}

void
InaFrameSender::CountDrop(const ina::Frame& frame, int64_t ts)
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
InaFrameSender::CountMark()
{
    ++m_counters.framesMarked;
}

std::size_t
InaFrameSender::FramesInFlight() const
{
    return m_sending.direction == nullptr ? 0 : m_sending.direction->InFlight();
}

InaNetDevice&
InaFrameSender::Receiver() const
{
    return m_channel->OtherEnd(Device());
}

int64_t
InaFrameSender::OccupyLine(uint32_t bytes, int64_t ts)
{
    OccupyLineBy(bytes, ts);
    if (m_meter != nullptr)
    {
        m_meter->Sent(ts, m_sending.idleAt, bytes, m_counters.framesMarked);
    }
    return m_sending.idleAt;
}

void
InaFrameSender::DisposeSending()
{
    m_channel = nullptr;
    m_sending.direction = nullptr;
    m_receiver = nullptr;
    m_faults.clear();
    m_meter = nullptr;
}

} // namespace ns3
