/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_FRAME_HANDLER_H
#define INA_FRAME_HANDLER_H

#include "hw/protocol/wire/frame.hpp"

#include <cstdint>

namespace ns3
{

class InaLinkDirection;
class InaNetDevice;

/**
 * \ingroup ina-network
 * Receiver of the frames that arrive at a device: a host application or a switch.
 */
class InaFrameHandler
{
  public:
    virtual ~InaFrameHandler() = default;
    /** Handles `frame`, which arrived at `device` at time step `ts`. Simulator::Now() may be
     * earlier than `ts` (see QuietUntil()). The handler may change the frame or move from it. */
    virtual void HandleFrame(InaNetDevice& device, ina::Frame& frame, int64_t ts) = 0;

    /**
     * Handles the frames that arrive at `device` through `direction`, the first one at time step
     * `eventTs`, the current time. Every implementation must call `device.HandOver()`, as the
     * default does, or `device.HandOverTo()`. Otherwise the link stops delivering frames.
     */
    virtual void HandleArrivals(InaNetDevice& device, InaLinkDirection& direction, int64_t eventTs);

    /**
     * For a handler with one device: next time step, not before `ts`, at which anything except an
     * arrival happens. A single event delivers all arrivals before this time, each with its own
     * time step; Simulator::Now() then lags behind. The order stays right, since frames in flight
     * arrive before frames that are sent later. Only late frames may be overtaken; they are
     * delivered early by at most one link delay. By default, no frame is delivered early.
     */
    virtual int64_t
    QuietUntil(int64_t ts) const
    {
        return ts;
    }

    /**
     * Executes the handler's actions due before `ts`, the next arrival, except those that need a
     * separate event. \return whether the current event may also deliver that arrival.
     */
    virtual bool
    RunAhead(int64_t /* ts */)
    {
        return false;
    }
};

} // namespace ns3

#endif // INA_FRAME_HANDLER_H
