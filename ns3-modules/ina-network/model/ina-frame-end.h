/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_FRAME_END_H
#define INA_FRAME_END_H

#include "ina-frame-sender.h"

#include "ns3/callback.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ns3
{

class InaArrivals;

/**
 * \ingroup ina-network
 * The part of an InaNetDevice that handles frames. It sends as InaFrameSender does, and passes
 * arriving frames to its InaFrameHandler. Base class of InaPacketEnd.
 *
 * If the host has an InaHostStage, a frame arrives when it has passed that stage. This time is
 * already known when the other end sends the frame.
 */
class InaFrameEnd : public InaFrameSender
{
  public:
    /// Receives a frame that arrives at a device, and may change it.
    using FrameCallback = Callback<void, Ptr<InaNetDevice>, ina::Frame&>;

    /** Calls `callback` for every arriving frame. It replaces the previous receiver. */
    void SetFrameReceiveCallback(const FrameCallback& callback);

    /** Used by other INA modules: sets the receiver of frames. One event may deliver frames that
     * arrive at several time steps. The handler must outlive the traffic. */
    void
    SetHandler(InaFrameHandler* handler)
    {
        InstallHandler(handler);
    }

    /** Receiver of frames; null if there is none. */
    InaFrameHandler*
    GetHandler() const
    {
        return m_receiving.handler;
    }

    /** Makes `arrivals` handle all arrivals. `index` is this device's index there. */
    void
    SetArrivals(InaArrivals* arrivals, std::size_t index)
    {
        m_arrivals = arrivals;
        m_arrivalsIndex = index;
        if (m_arrivesBy != nullptr)
        {
            m_arrivesBy->SetArrivals(arrivals, index);
        }
    }

    /** Called by the channel when both ends are attached. `direction` leads to this device. */
    void
    ReceiveBy(InaLinkDirection& direction)
    {
        m_arrivesBy = &direction;
        direction.SetArrivals(m_arrivals, m_arrivalsIndex);
    }

    /** Delivers all frames that have arrived by `ts`, the current time. Hosts call it before their
     * own actions, since arrivals must be handled first at equal times. */
    void
    DeliverUntil(int64_t ts)
    {
        if (m_arrivesBy != nullptr)
        {
            m_arrivesBy->DeliverUntil(ts);
        }
    }

    /** Called by the link for each frame. Defined, like HandOverTo(), in ina-net-device.h. */
    inline void Deliver(ina::Frame& frame, int64_t ts);

    /** Called by the link when frames arrive, the first one at `eventTs`, the current time. */
    void HandleArrivals(InaLinkDirection& direction, int64_t eventTs);

    /** Passes the frame that arrives at `eventTs` to HandleFrame() of the current handler, and then
     * each frame that may be delivered ahead (MayHandOverAhead()). */
    void HandOver(InaLinkDirection& direction, int64_t eventTs);

    /**
     * Variant of HandOver() without virtual calls, for arrivals that are not traced. The frames go
     * to HandleFrame() of `handler`, whose class is known at compile time. This continues as long
     * as `handler.GoesOn(device, ts, nextTs)` returns true and the handler of this device is not
     * replaced. GoesOn() must call MayHandOverAhead().
     */
    template <class ConcreteHandler>
    void HandOverTo(ConcreteHandler&& handler, InaLinkDirection& direction, int64_t eventTs);

    /** Whether the event that delivers at `ts` may also deliver the next frame, at `nextTs`. */
    template <class Handler>
    bool
    MayHandOverAhead(Handler& handler, int64_t ts, int64_t nextTs) const
    {
        if (IsWatched())
        {
            return false;
        }
        const int64_t quietUntil = handler.QuietUntil(ts);
        return nextTs < quietUntil || (quietUntil > ts && handler.RunAhead(nextTs));
    }

    /** Counts arrivals that were handled without Deliver(). */
    void
    CountReceived(uint64_t frames, uint64_t bytes)
    {
        m_receiving.frames += frames;
        m_receiving.bytes += bytes;
    }

    /** Counters of jobs' frames sent and received here. */
    InaLinkCounters GetCounters() const;

  protected:
    InaFrameEnd() = default;
    ~InaFrameEnd() = default;

    void DisposeReceiving();

    FrameTrace m_rxTrace;

  private:
    /// Passes frames to a user's callback.
    class CallbackHandler : public InaFrameHandler
    {
      public:
        explicit CallbackHandler(const FrameCallback& callback) : m_callback(callback) {}

        void HandleFrame(InaNetDevice& device, ina::Frame& frame, int64_t ts) override;

      private:
        FrameCallback m_callback;
    };

    std::unique_ptr<CallbackHandler> m_callbackHandler;
    InaArrivals* m_arrivals{nullptr};       //!< null: the link has the events
    std::size_t m_arrivalsIndex{0};         //!< index in m_arrivals
    InaLinkDirection* m_arrivesBy{nullptr}; //!< leads to this device; set by ReceiveBy()
};

} // namespace ns3

#endif // INA_FRAME_END_H
