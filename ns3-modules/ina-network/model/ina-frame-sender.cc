/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-frame-sender.h"

#include "ina-abort.h"
#include "ina-link-meter.h"
#include "ina-net-device.h"
#include "ina-seldom-traced.h"

#include "hw/protocol/time.hpp"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaFrameSender");

void
InaFrameSender::SetDataRate(DataRate rate)
{
    NS_LOG_FUNCTION(this << rate);
    InaAbortIfZero(rate, "DataRate of an InaNetDevice");
    BeginChange("DataRate");
    m_rate = rate;
}

void
InaFrameSender::SetFramingBytes(uint32_t bytes)
{
    NS_LOG_FUNCTION(this << bytes);
    BeginChange("FramingBytes");
    m_framingBytes = bytes;
}

void
InaFrameSender::SetHostStage(Ptr<InaHostStage> stage)
{
    NS_LOG_FUNCTION(this << stage);
    BeginChange("HostStage");
    if (stage && stage != m_hostStage)
    {
        stage->Attach();
    }
    m_hostStage = stage;
}

void
InaFrameSender::BeginChange(const char* attribute)
{
    NS_ABORT_MSG_IF(m_lineIsFixed,
                    attribute << " of an InaNetDevice can no longer be changed: set it before the "
                                 "simulation starts, and before the device sends");
    m_sending.lastBytes = 0; // forces the duration to be recomputed
}

void
InaFrameSender::ComputeSerialisation(uint32_t bytes)
{
    m_sending.lastBytes = bytes;
    m_sending.lastSteps =
        ina::serialisation_time(bytes + m_framingBytes, m_rate.GetBitRate()).count();
}

void
InaFrameSender::SendFrame(ina::Frame frame, const Time& delay)
{
    NS_LOG_FUNCTION(this << delay);
    NS_ABORT_MSG_IF(delay.IsStrictlyNegative(),
                    "InaNetDevice::SendFrame(): the delay must not be negative");
    if (delay.IsZero())
    {
        CountOffer();
        PutFrame(std::move(frame), Simulator::Now().GetTimeStep());
        return;
    }
    // Until then, others may use the line.
    const Ptr<InaNetDevice> device(&Device());
    NS_ABORT_MSG_UNLESS(
        device->GetNode(),
        "an InaNetDevice has no node: call Node::AddDevice() before the device sends");
    Simulator::ScheduleWithContext(device->GetNode()->GetId(),
                                   delay,
                                   [device, frame]() { device->SendFrame(frame); });
}

void
InaFrameSender::FireAt(const FrameTrace& trace, const ina::Frame& frame, int64_t ts)
{
    InaFireTraceAt(Ptr<InaNetDevice>(&Device()), Device().GetNode()->GetId(), ts, trace, frame);
}

void
InaFrameSender::FindDirection()
{
    NS_LOG_FUNCTION(this);
    InaAbortUnlessPicoseconds();
    NS_ABORT_MSG_UNLESS(
        m_channel,
        "an InaNetDevice that sends has no channel: call InaNetDevice::Attach() first");
    m_sending.direction = &m_channel->DirectionFrom(Device());
    m_sending.delaySteps = m_channel->DelaySteps();
    FixLine();
    InaNetDevice& receiver = Receiver();
    receiver.FixLine();
    if (receiver.CarriesPackets())
    {
        m_sending.direction->DeliverOneByOne();
    }
    if (InaHostStage* const stage = StageInUse())
    {
        m_sendingStage = &stage->Sending();
    }
    if (InaHostStage* const stage = receiver.StageInUse())
    {
        m_receivingStage = &stage->Receiving();
    }
    ChoosePath();
}

InaHostStage*
InaFrameSender::StageInUse() const
{
    return m_hostStage && m_hostStage->IsOn() ? PeekPointer(m_hostStage) : nullptr;
}

void
InaFrameSender::ChoosePath()
{
    const bool isPlain = m_faults.empty() && m_meter == nullptr;
    const bool hasStages = m_sendingStage != nullptr || m_receivingStage != nullptr;
    m_sending.justPushes = isPlain && !hasStages;
    m_sending.justStages =
        isPlain && hasStages && !(m_receivingStage != nullptr && m_receivingStage->reorders());
}

void
InaFrameSender::CountNoRoom(const ina::Frame& frame, int64_t arrivalTs)
{
    ++CountersOf(frame).framesLost;
    CountLoss(m_lostTrace, frame, arrivalTs);
}

/// Like PutThrough(), for a staged frame that was counted as offered.
void
InaFrameSender::PutStaged(int64_t ts)
{
    InaLinkDirection& direction = *m_sending.direction;
    if (!m_sending.justStages || IsWatched())
    {
        ina::Frame frame = std::move(direction.Staged());
        direction.DropStaged();
        PutFrame(std::move(frame), ts);
        return;
    }
    const ina::Frame& frame = direction.Staged();
    CountFrame(frame);
    if (const int64_t taken = PassStages(frame, ts); taken != InaLinkDirection::NEVER)
    {
        direction.PushStaged(taken);
    }
    else
    {
        direction.DropStaged();
    }
}

void
InaFrameSender::AddFaults(Ptr<InaLinkFaults> faults)
{
    NS_LOG_FUNCTION(this << faults);
    NS_ABORT_MSG_UNLESS(faults, "InaNetDevice::AddFaults() needs an InaLinkFaults");
    m_faults.push_back(faults);
    ChoosePath();
}

void
InaFrameSender::SetMeter(InaLinkMeter* meter)
{
    m_meter = meter;
    ChoosePath();
}

void
InaFrameSender::SetLossObserver(InaLossObserver* observer)
{
    m_lossObserver = observer;
}

/// Passes a frame to the receiving host. A delayed frame takes its turn in the host as usual, and
/// is delayed afterwards. If the host reorders, any frame may be overtaken. This function is
/// inline, because all frames use it if there are faults.
inline void
InaFrameSender::PushToHost(ina::Frame&& frame, int64_t arrivalTs, int64_t delaySteps)
{
    const int64_t taken = TakenOrLost(frame, arrivalTs);
    if (taken == InaLinkDirection::NEVER)
    {
        return;
    }
    if (delaySteps == 0 && !(m_receivingStage != nullptr && m_receivingStage->reorders()))
    {
        m_sending.direction->Push(std::move(frame), taken);
    }
    else
    {
        m_sending.direction->PushLate(std::move(frame), taken + delaySteps);
    }
}

/// Sends a frame through the link's faults. A lost frame is counted when it leaves.
void
InaFrameSender::SendThroughFaults(ina::Frame&& frame, int64_t leavesTs)
{
    int64_t delaySteps = 0;
    for (const Ptr<InaLinkFaults>& faults : m_faults)
    {
        const auto outcome = frame.job == ina::kNoJob ? faults->DecideOnPacket(leavesTs)
                                                      : faults->Decide(frame, leavesTs);
        if (outcome.lost)
        {
            ++CountersOf(frame).framesLost;
            CountLoss(m_lostTrace, frame, leavesTs);
            return;
        }
        if (outcome.corrupted)
        {
            ++CountersOf(frame).framesCorrupted;
            CountLoss(m_corruptedTrace, frame, leavesTs);
            return;
        }
        if (outcome.duplicated)
        {
            ++CountersOf(frame).framesDuplicated;
            CountersOf(frame).bytesDuplicated += frame.bytes;
            FireAt(m_duplicatedTrace, frame, leavesTs);
            PushToHost(ina::Frame(frame), leavesTs + m_sending.delaySteps, 0);
        }
        delaySteps += outcome.delay.count();
    }
    if (delaySteps != 0)
    {
        ++CountersOf(frame).framesDelayed;
        FireAt(m_delayedTrace, frame, leavesTs);
    }
    PushToHost(std::move(frame), leavesTs + m_sending.delaySteps, delaySteps);
}

void
InaFrameSender::CountLoss(const FrameTrace& trace, const ina::Frame& frame, int64_t ts)
{
    CountersOf(frame).bytesLost += frame.bytes;
    if (m_lossObserver != nullptr && frame.job != ina::kNoJob)
    {
        m_lossObserver->FrameLost(frame);
    }
    FireAt(trace, frame, ts);
}

void
InaFrameSender::CountDrop(const ina::Frame& frame, int64_t ts)
{
    NS_LOG_LOGIC("drops a frame of job " << frame.job << ", PSN " << frame.psn);
    ++CountersOf(frame).framesDropped;
    if (m_meter != nullptr && frame.job != ina::kNoJob)
    {
        m_meter->Dropped(ts);
    }
    FireAt(m_dropTrace, frame, ts);
}

void
InaFrameSender::CountMark(const ina::Frame& frame)
{
    ++CountersOf(frame).framesMarked;
}

std::size_t
InaFrameSender::GetFramesInFlight() const
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
    const int64_t entersTs = OccupyStageAndLine(bytes, ts);
    if (m_meter != nullptr)
    {
        m_meter->Sent(entersTs, IdleTs(), bytes, m_counters.framesMarked);
    }
    return IdleTs();
}

void
InaFrameSender::DisposeSending()
{
    m_channel = nullptr;
    m_sending.direction = nullptr;
    m_hostStage = nullptr;
    m_sendingStage = nullptr;
    m_receivingStage = nullptr;
    m_faults.clear();
    m_meter = nullptr;
    m_lossObserver = nullptr;
}

} // namespace ns3
