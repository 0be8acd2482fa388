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
 * An InaNetDevice as one end of a link for frames: sends them as InaFrameSender, and hands those
 * that arrive to its InaFrameHandler. The base of InaPacketEnd.
 *
 * Where the host has an InaHostStage, a frame arrives when it has passed that, which is known when
 * the frame leaves the other end.
 */
class InaFrameEnd : public InaFrameSender
{
  public:
    /// Takes a frame that arrives at a device, which it may change.
    using FrameCallback = Callback<void, Ptr<InaNetDevice>, ina::Frame&>;

    /** Calls `callback` for every frame that arrives, in place of whoever took them before. */
    void SetFrameReceiveCallback(const FrameCallback& callback);

    /** For modules: as SetFrameReceiveCallback(), for frames of several instants in one event. */
    void
    SetHandler(InaFrameHandler* handler)
    {
        InstallHandler(handler);
    }

    /** Null: nobody takes its frames. */
    InaFrameHandler*
    GetHandler() const
    {
        return m_receiving.handler;
    }

    /** Arrivals are handled in the order of `arrivals`, where this device has that number. */
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

    /** Called by the channel when both ends are attached: what arrives here comes by `direction`.
     */
    void
    ReceiveBy(InaLinkDirection& direction)
    {
        m_arrivesBy = &direction;
        direction.SetArrivals(m_arrivals, m_arrivalsIndex);
    }

    /** Hands over what arrives until `ts`, which is now: at an instant, before all that the host
     * does by itself. */
    void
    DeliverUntil(int64_t ts)
    {
        if (m_arrivesBy != nullptr)
        {
            m_arrivesBy->DeliverUntil(ts);
        }
    }

    /** Called by the link. Defined in ina-net-device.h, as HandOverTo(). */
    inline void Deliver(ina::Frame& frame, int64_t ts);

    /** Called by the link: frames arrive, the first one at `eventTs`, which is now. */
    void HandleArrivals(InaLinkDirection& direction, int64_t eventTs);

    /** Hands over the frame that arrives at `eventTs`, and those behind it up to QuietUntil(), each
     * by HandleFrame() of who handles frames here then. */
    void HandOver(InaLinkDirection& direction, int64_t eventTs);

    /**
     * The same while nobody traces what arrives, to `handler`: an object with HandleFrame() as
     * InaFrameHandler has it, of a class that the compiler knows, in place of who handles frames
     * here now, and as long as that does and `handler.GoesOn(device, ts, nextTs)`, which asks
     * MayHandOverAhead().
     */
    template <class ConcreteHandler>
    void HandOverTo(ConcreteHandler&& handler, InaLinkDirection& direction, int64_t eventTs);

    /** Whether the frame that arrives at `nextTs` may be handed over to `handler` at `ts`, too. */
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

    /** Frames arrived, and are handled without Deliver(). */
    void
    CountReceived(uint64_t frames, uint64_t bytes)
    {
        m_receiving.frames += frames;
        m_receiving.bytes += bytes;
    }

    /** Counts of frames sent here and arrived here. */
    InaLinkCounters GetCounters() const;

  protected:
    InaFrameEnd() = default;
    ~InaFrameEnd() = default;

    void DisposeReceiving();

    FrameTrace m_rxTrace;

  private:
    /// Hands frames to the callback of a user.
    class CallbackHandler : public InaFrameHandler
    {
      public:
        explicit CallbackHandler(const FrameCallback& callback) : m_callback(callback) {}

        void HandleFrame(InaNetDevice& device, ina::Frame& frame, int64_t ts) override;

      private:
        FrameCallback m_callback;
    };

    std::unique_ptr<CallbackHandler> m_callbackHandler;
    InaArrivals* m_arrivals{nullptr};       //!< null: its frames arrive in events of its own
    std::size_t m_arrivalsIndex{0};         //!< there
    InaLinkDirection* m_arrivesBy{nullptr}; //!< the channel's; set by ReceiveBy()
};

} // namespace ns3

#endif // INA_FRAME_END_H
