/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-frame-end.h"

#include "ina-net-device.h"

#include "ns3/abort.h"

namespace ns3
{

void
InaFrameHandler::HandleArrivals(InaNetDevice& device, InaLinkDirection& direction, int64_t eventTs)
{
    device.HandOver(direction, eventTs);
}

void
InaFrameEnd::HandleArrivals(InaLinkDirection& direction, int64_t eventTs)
{
    if (m_receiving.handler == nullptr)
    {
        HandOver(direction, eventTs);
    }
    else
    {
        m_receiving.handler->HandleArrivals(Device(), direction, eventTs);
    }
}

void
InaFrameEnd::HandOver(InaLinkDirection& direction, int64_t eventTs)
{
    struct
    {
        InaFrameEnd& end;

        void
        Take(ina::Frame& frame, int64_t ts)
        {
            end.Deliver(frame, ts);
        }

        bool
        GoesOn(int64_t ts, int64_t nextTs)
        {
            InaFrameHandler* const handler = end.GetHandler();
            return handler != nullptr && end.MayHandOverAhead(*handler, ts, nextTs);
        }
    } receiver{*this};

    direction.TakeArrivals(eventTs, receiver);
}

void
InaFrameEnd::SetFrameReceiveCallback(const FrameCallback& callback)
{
    NS_ABORT_MSG_IF(callback.IsNull(), "InaNetDevice::SetFrameReceiveCallback() needs a callback");
    m_callbackHandler = std::make_unique<CallbackHandler>(callback);
    SetHandler(m_callbackHandler.get());
}

void
InaFrameEnd::CallbackHandler::HandleFrame(InaNetDevice& device, ina::Frame& frame, int64_t)
{
    const FrameCallback callback = m_callback; // the callback may replace this handler
    callback(Ptr<InaNetDevice>(&device), frame);
}

InaLinkCounters
InaFrameEnd::GetCounters() const
{
    InaLinkCounters all = m_counters;
    all.framesOffered = m_sending.framesOffered - m_traffic.framesOffered;
    all.framesSent = m_sending.frames - m_traffic.framesSent;
    all.bytesSent = m_sending.bytes - m_traffic.bytesSent;
    all.framesReceived = m_receiving.frames - m_traffic.framesReceived;
    all.bytesReceived = m_receiving.bytes - m_traffic.bytesReceived;
    return all;
}

void
InaFrameEnd::DisposeReceiving()
{
    m_receiving = {};
    m_callbackHandler.reset();
    m_arrivesBy = nullptr;
    m_arrivals = nullptr;
}

} // namespace ns3
