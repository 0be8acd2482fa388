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
    /** Handles `frame`, which arrived at `device` at time step `ts`. Simulator::Now() may lag
     * behind that (see QuietUntil()). The handler may change the frame or move from it. */
    virtual void HandleFrame(InaNetDevice& device, ina::Frame& frame, int64_t ts) = 0;

    /**
     * Handles the frames that arrive at `device` by `direction`, the first one at time step
     * `eventTs`, the current time. An implementation must call `device.HandOver()`, like this
     * default, or `device.HandOverTo()`; otherwise the link delivers nothing any more.
     */
    virtual void HandleArrivals(InaNetDevice& device, InaLinkDirection& direction, int64_t eventTs);

    /**
     * Next time step, not before `ts`, at which anything but an arrival happens at this handler,
     * which has one device. A single event delivers all arrivals before that time, each with its
     * own time step, while Simulator::Now() lags behind. Nothing else can happen in between, since
     * frames in flight arrive before frames that are sent later. Late frames are not delivered
     * early, since they can be overtaken. By default, no frame is delivered early.
     */
    virtual int64_t
    QuietUntil(int64_t ts) const
    {
        return ts;
    }

    /**
     * Executes the handler's actions before `ts`, the next arrival, unless they need an event of
     * their own. Called if QuietUntil() is later than now. \return whether no action is left.
     */
    virtual bool
    RunAhead(int64_t /* ts */)
    {
        return false;
    }
};

} // namespace ns3

#endif // INA_FRAME_HANDLER_H
