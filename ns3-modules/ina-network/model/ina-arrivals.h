/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_ARRIVALS_H
#define INA_ARRIVALS_H

#include "ina-channel.h"
#include "ina-event-source.h"

#include "hw/protocol/cache_line.hpp"
#include "hw/protocol/wire/frame.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3
{

class InaNetDevice;

/**
 * \ingroup ina-network
 * Handles all events at a node with several devices, such as a switch, in the order of time. At
 * equal times, arrivals come first, ordered by device, and the node's own actions follow.
 *
 * One event handles a window of time. No window is longer than the shortest link delay, so that all
 * frames that arrive in it are already in flight. A window ends before the next event that was
 * scheduled with Simulator::Schedule(), since that event may read or change the node. An event that
 * is scheduled during the window, for a time within it, finds the node ahead of the clock. Under a
 * SimulatorImpl other than InaSimulatorImpl, or if observers need the right clock, each instant is
 * handled separately, with the same results.
 */
class InaArrivals : public InaEventSource
{
  public:
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

    /** \param node number of the node */
    explicit InaArrivals(uint32_t node);

    /** Makes this object handle the arrivals at the device. Call this before the first frame. */
    void AddDevice(InaNetDevice& device);

    /** Called by the link: the next frame to the device arrives at `ts`. */
    void
    Expect(std::size_t device, InaLinkDirection& direction, int64_t ts)
    {
        m_directions[device] = &direction;
        m_nextTs[device] = ts;
        ExpectAt(ts);
    }

    /** Handles all events up to and including `ts`, the current time. */
    void RunUntil(int64_t ts);

    void FetchAhead(unsigned step) const override;

  protected:
    /** Makes RunOwn() be called at `ts`, or earlier if it is due earlier. */
    void
    ExpectOwn(int64_t ts)
    {
        m_ownTs = std::min(m_ownTs, ts);
        ExpectAt(ts);
    }

    /**
     * Performs one or more of the node's own actions that are due at `ts`.
     *
     * \returns the time step of its next own action, or NEVER.
     */
    virtual int64_t RunOwn(int64_t ts) = 0;

    /** Whether the simulator's clock may lag behind. This class itself checks whether the devices
     * have trace sinks for frames or carry packets. */
    virtual bool MayRunAhead() const = 0;

    /** Handles the arrivals of a window with HandleWindowBy() and returns true. If it returns
     * false, as by default, each arrival goes to the handler of its device. */
    virtual bool
    HandleWindow()
    {
        return false;
    }

    /**
     * Calls `receiver.Deliver(device, frame, ts)` for each arrival, in place. For most arrivals,
     * `receiver.FetchFor(frame)` is called some time before and may prefetch what Deliver() needs.
     * `receiver.Finish()` completes work that Deliver() postponed. It is called before own actions
     * of the node and at the end. By then the receiver must have released the values of all frames.
     */
    template <class Receiver>
    void
    HandleWindowBy(Receiver&& receiver)
    {
        for (std::size_t i = 0; i < m_arrivals.size(); ++i)
        {
            if (i + 2 * FRAMES_AHEAD < m_arrivals.size())
            {
                ina::fetch_line(m_arrivals[i + 2 * FRAMES_AHEAD].frame);
            }
            if (i + FRAMES_AHEAD < m_arrivals.size())
            {
                receiver.FetchFor(*m_arrivals[i + FRAMES_AHEAD].frame);
            }
            const QueuedArrival arrival = m_arrivals[i];
            const int64_t ts = TimeOf(arrival);
            if (m_ownTs < ts) [[unlikely]]
            {
                receiver.Finish();
                RunOwnUntil(ts - 1);
            }
            receiver.Deliver(DeviceOf(arrival), *arrival.frame, ts);
        }
        receiver.Finish();
    }

    /** Whether `isSo(device, deviceNumber)` is true for all devices with arrivals in the window. */
    template <class IsSo>
    bool
    AllOfWindow(IsSo&& isSo) const
    {
        return std::ranges::all_of(m_ofDevices,
                                   [&](const OfDevice& of)
                                   { return isSo(*m_devices[of.device], of.device); });
    }

  private:
    static constexpr int DEVICE_BITS = 16;
    static constexpr std::size_t NO_DEVICE = std::size_t{1} << DEVICE_BITS;
    static constexpr std::size_t FRAMES_AHEAD = 8; //!< prefetch distance that hides memory latency

    struct QueuedArrival
    {
        uint64_t order; //!< time since the start of the window, then the device
        /// The frame in its slot on the link. It stays there while a window is handled, since
        /// frames are sent only on other links or in the other direction.
        ina::Frame* frame;
    };

    /// Arrivals at one device in a window.
    struct OfDevice
    {
        std::size_t device;
        std::size_t framesInOrder; //!< all except late ones
        uint64_t frames;
        uint64_t bytes;
    };

    int64_t
    TimeOf(const QueuedArrival& arrival) const
    {
        return m_beginTs + static_cast<int64_t>(arrival.order >> DEVICE_BITS);
    }

    static std::size_t
    DeviceOf(const QueuedArrival& arrival)
    {
        return static_cast<uint16_t>(arrival.order);
    }

    void Fire(int64_t ts) override;
    int64_t WindowEnd(int64_t ts);
    void FindLeastDelay();
    bool IsWatched() const;
    void Handle(int64_t lastTs, bool ahead);
    void DeliverOneByOne();
    void ForgetHandled(int64_t lastTs);
    void FindNextTs();
    void CollectArrivals(int64_t lastTs);
    void CollectArrivalsAt(std::size_t device, int64_t lastTs);
    void SortArrivals(int64_t lastTs);
    void RunOwnUntil(int64_t lastTs);
    void ExpectNext();

    void
    ExpectAt(int64_t ts)
    {
        if (!m_handling && (!IsArmed() || ts < m_expectedTs))
        {
            m_expectedTs = ts;
            Arm(ts);
        }
    }

    template <class Visit>
    void VisitExpected(int64_t lastTs, Visit&& visit) const;

    std::vector<InaNetDevice*> m_devices;
    std::vector<InaLinkDirection*> m_directions; //!< by device; null before the first arrival
    std::vector<int64_t> m_nextTs;               //!< next arrival by device, or NEVER
    int64_t m_leastDelay{NEVER}; //!< shortest delay of the links; found at the first window
    int64_t m_ownTs{NEVER};
    int64_t m_expectedTs{0}; //!< valid while armed
    int64_t m_beginTs{0};    //!< start of the window
    bool m_handling{false};
    bool m_lastWasWindow{true};            //!< not a single instant; only used for prefetching
    std::vector<QueuedArrival> m_arrivals; //!< all arrivals in the window
    std::vector<OfDevice> m_ofDevices;     //!< devices with arrivals in the window
    std::vector<QueuedArrival> m_sorted;   //!< memory, kept for the next window
    std::vector<uint32_t> m_places;        //!< memory, kept for the next window
};

} // namespace ns3

#endif // INA_ARRIVALS_H
