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
 * Takes the frames that arrive at a device: a host application or a switch.
 */
class InaFrameHandler
{
  public:
    virtual ~InaFrameHandler() = default;
    /** `frame` arrived at `device` at time step `ts`, which is now; it may be taken or changed. */
    virtual void HandleFrame(InaNetDevice& device, ina::Frame& frame, int64_t ts) = 0;

    /**
     * Frames arrive at `device` by `direction`, the first one at time step `eventTs`, which is now.
     * Calls `device.HandOver()`, as it is here, or `device.HandOverTo()`: without these no frame is
     * taken, and none expected any more.
     */
    virtual void HandleArrivals(InaNetDevice& device, InaLinkDirection& direction, int64_t eventTs);

    /**
     * The next time step, at or after `ts`, at which something else than an arrival at its one
     * device happens to this handler. The arrivals before it are handed over in one event, each
     * with its own time: nothing can come between, since what is in flight on a link arrives before
     * what is sent later; but for frames that faults delay, which wait for their time.
     * Simulator::Now() then lags behind `ts`.
     */
    virtual int64_t
    QuietUntil(int64_t ts) const
    {
        return ts;
    }

    /**
     * Does what this handler does by itself before `ts`, the next arrival, if that needs no event
     * of its own: where QuietUntil() is later than now. Returns whether nothing is left to be done.
     */
    virtual bool
    RunAhead(int64_t /* ts */)
    {
        return false;
    }
};

} // namespace ns3

#endif // INA_FRAME_HANDLER_H
