/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_CHANNEL_H
#define INA_CHANNEL_H

#include "ina-event-source.h"

#include "hw/protocol/cache_line.hpp"
#include "hw/protocol/growing_ring.hpp"
#include "hw/protocol/time.hpp"
#include "hw/protocol/wire/frame.hpp"

#include "ns3/channel.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

class InaArrivals;
class InaFrameEnd;
class InaNetDevice;

/// Argument that passes a frame: an rvalue to move from, or a const reference to copy from.
template <class Frame>
concept InaFrameOrCopy = std::same_as<Frame, ina::Frame> || std::same_as<Frame, const ina::Frame&>;

/**
 * \ingroup ina-network
 * One direction of a full-duplex link. A ring holds the frames in flight, in the order of arrival.
 * Late frames, which frames sent after them may overtake, are kept apart. Only the next arrival has
 * an event, which belongs to this object or to the receiver's InaArrivals. The owner of the event
 * delivers the frame, and perhaps later frames as well (see InaFrameHandler::QuietUntil()).
 */
class alignas(ina::kCacheLineBytes) InaLinkDirection : public InaEventSource
{
  public:
    /// Time of the next arrival if no frame is in flight.
    static constexpr int64_t NEVER = ina::kNever.count();

    InaLinkDirection(uint32_t receiverNode, InaFrameEnd& receiver);

    /** Makes `arrivals` schedule and deliver the arrivals; if null, this object does it. `index` is
     * the receiver's index in `arrivals`. Call this function before the first frame is sent. */
    void
    SetArrivals(InaArrivals* arrivals, std::size_t index)
    {
        m_arrivals = arrivals;
        m_arrivalsIndex = static_cast<uint32_t>(index);
    }

    /** Moves or copies a frame onto the link. It arrives at time step `arrivalTs`, which must not
     * be earlier than the arrival of any previous frame, except late ones. */
    template <InaFrameOrCopy FrameOrCopy>
    void
    Push(FrameOrCopy&& frame, int64_t arrivalTs)
    {
        m_inFlight.emplace_back(arrivalTs, std::forward<FrameOrCopy>(frame));
        Pushed();
    }

    /** Creates a frame in the next slot of the ring. The caller fills it in and calls PushStaged()
     * or DropStaged(), before any other frame is pushed or delivered. */
    ina::Frame&
    Stage()
    {
        return m_inFlight.stage().frame;
    }

    /** The frame that Stage() created. */
    ina::Frame&
    Staged()
    {
        return m_inFlight.staged().frame;
    }

    /** Sends the staged frame, as Push() does. */
    void
    PushStaged(int64_t arrivalTs)
    {
        m_inFlight.staged().ts = arrivalTs;
        m_inFlight.push_staged();
        Pushed();
    }

    void
    DropStaged()
    {
        m_inFlight.drop_staged();
    }

    /** Prefetches the slot that the next frame to be sent will occupy. */
    void
    FetchEnd() const
    {
        m_inFlight.fetch_end();
    }

    /** Prefetches the frames that arrive next. */
    void
    FetchFirst() const
    {
        for (std::size_t i = 0; i < std::min(FRAMES_AHEAD, m_inFlight.size()); ++i)
        {
            m_inFlight.fetch(i);
        }
    }

    /** Sends a late frame. It arrives at `arrivalTs`, and frames pushed later may overtake it. */
    void PushLate(ina::Frame&& frame, int64_t arrivalTs);

    /** Makes each arrival a separate event. Required if the receiver carries packets. */
    void
    DeliverOneByOne()
    {
        m_oneByOne = true;
    }

    std::size_t
    InFlight() const
    {
        return m_inFlight.size() + (m_late ? m_late->size() : 0);
    }

    /** Time step of the next arrival, or NEVER. */
    int64_t
    NextTs() const
    {
        const int64_t next = m_inFlight.empty() ? NEVER : m_inFlight.front().ts;
        return m_late == nullptr ? next : std::min(next, FirstLateTs());
    }

    /**
     * Calls `arrives(ts, frame)` for every frame that arrives at or before `lastTs`. The frames
     * keep their addresses until they are delivered, unless another frame is pushed first.
     *
     * \returns the number of visited frames that are not late, which ForgetHandled() needs.
     */
    template <class Arrives>
    std::size_t
    VisitArrivals(int64_t lastTs, Arrives&& arrives)
    {
        std::size_t i = 0;
        for (; i < m_inFlight.size() && m_inFlight[i].ts <= lastTs; ++i)
        {
            FetchFrame(i + FRAMES_AHEAD);
            arrives(m_inFlight[i].ts, m_inFlight[i].frame);
        }
        if (m_late != nullptr) [[unlikely]]
        {
            VisitLate(lastTs, arrives);
        }
        return i;
    }

    /** Removes the frames that VisitArrivals() visited for the same `lastTs`. `frames` is its
     * result. The frames were handled in place, and their values must have been released. */
    void
    ForgetHandled(std::size_t frames, int64_t lastTs)
    {
        m_inFlight.forget_front(frames);
        if (m_late != nullptr) [[unlikely]]
        {
            ForgetLate(lastTs);
        }
    }

    void FetchAhead(unsigned step) const override;

    /** In the event at `eventTs`, passes the frame that arrives then to `receiver.Take(frame, ts)`.
     * Continues with later frames as long as `receiver.GoesOn(ts, nextTs)` is true. Here, `ts` and
     * `nextTs` are the arrival times of the previous frame and of the next frame. */
    template <class Receiver>
    void
    TakeArrivals(int64_t eventTs, Receiver&& receiver)
    {
        m_delivering = true;
        int64_t ts = eventTs;
        int64_t next = NextTs();
        do
        {
            FetchFrame(FRAMES_AHEAD);
            ts = next;
            TakeNext(ts, receiver);
            next = NextTs();
        } while (MayGoOn(eventTs, next) && receiver.GoesOn(ts, next));
        m_delivering = false;
        if (next != NEVER)
        {
            ExpectArrival();
        }
    }

    /** Delivers the next frame, which arrives at `ts`. Defined in ina-net-device.h, since it needs
     * the complete class of the receiver. */
    inline void DeliverNext(int64_t ts);
    /** Delivers all frames that arrive at or before `ts`. */
    void DeliverUntil(int64_t ts);

  private:
    /// Prefetch distance in frames that hides memory latency if one event delivers many frames.
    static constexpr std::size_t FRAMES_AHEAD = 16;

    /// Aligned to a cache line, so that reading it takes one cache miss instead of two.
    struct alignas(ina::kCacheLineBytes) Arrival
    {
        int64_t ts{0};
        ina::Frame frame;
    };

    /// Prefetches the frame at `index`, if there is one. If a slot without a frame were prefetched,
    /// it would evict data that is needed.
    void
    FetchFrame(std::size_t index) const
    {
        if (index < m_inFlight.size())
        {
            m_inFlight.fetch(index);
        }
    }

    void
    Pushed()
    {
        // Prefetches the slot of the next push, which pushes on other links have evicted.
        FetchEnd();
        if (m_inFlight.size() == 1) [[unlikely]]
        {
            ExpectArrival();
        }
    }

    void Fire(int64_t eventTs) override;
    inline bool MayGoOn(int64_t eventTs, int64_t next) const;
    void ExpectArrival();
    template <class Receiver>
    void
    TakeNext(int64_t ts, Receiver& receiver)
    {
        if (m_inFlight.empty() || m_inFlight.front().ts != ts) [[unlikely]]
        {
            ina::Frame frame = TakeLate();
            receiver.Take(frame, ts);
            return;
        }
        receiver.Take(m_inFlight.front().frame, ts);
        m_inFlight.pop_front();
    }

    template <class Arrives>
    void
    VisitLate(int64_t lastTs, Arrives& arrives)
    {
        const auto end = m_late->upper_bound(lastTs);
        for (auto late = m_late->begin(); late != end; ++late)
        {
            arrives(late->first, late->second);
        }
    }

    void ForgetLate(int64_t lastTs);
    ina::Frame TakeLate();
    int64_t FirstLateTs() const;

    // Every push uses these members. Together with the members of InaEventSource, they fit in one
    // cache line.
    bool m_delivering{false};
    // no_unique_address lets m_arrivalsIndex use the tail padding of the ring.
    [[no_unique_address]] ina::GrowingRing<Arrival> m_inFlight; //!< in the order of arrival
    uint32_t m_arrivalsIndex{0};                                //!< index in m_arrivals
    InaArrivals* m_arrivals{nullptr}; //!< null: this object has the events
    InaFrameEnd& m_receiver;
    std::unique_ptr<std::multimap<int64_t, ina::Frame>>
        m_late; //!< by arrival time; created on first use
    bool m_oneByOne{false};
};

/**
 * \ingroup ina-network
 * A full-duplex link between two InaNetDevices. It carries frames as ina::Frame objects and needs
 * no ns3::Packet for them.
 */
class InaChannel : public Channel
{
  public:
    static TypeId GetTypeId();

    /** Attaches a device to one end. Aborts for a third device, or if both are on the same node. */
    void Attach(const Ptr<InaNetDevice>& device);

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

    /** Returns the direction of `sender` and fixes the delay. Both ends must be attached. */
    InaLinkDirection& DirectionFrom(const InaNetDevice& sender);

    InaNetDevice& OtherEnd(const InaNetDevice& device) const;

    void SetDelay(const Time& delay);

    Time
    GetDelay() const
    {
        return m_delay;
    }

    /** The delay in time steps. */
    int64_t
    DelaySteps() const
    {
        return m_delay.GetTimeStep();
    }

  protected:
    void DoDispose() override;

  private:
    static constexpr std::size_t ENDS = 2;

    Time m_delay;
    bool m_delayIsFixed{false}; //!< a device has begun to send
    std::size_t m_attached{0};
    std::array<Ptr<InaNetDevice>, ENDS> m_devices;
    std::array<std::unique_ptr<InaLinkDirection>, ENDS> m_directions; //!< by sender
};

} // namespace ns3

#endif // INA_CHANNEL_H
