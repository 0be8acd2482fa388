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
#include <vector>

namespace ns3
{

class InaNetDevice;

/**
 * \ingroup ina-network
 * Handles all events at a node with several devices, such as a switch, in the order of time. At
 * equal times, arrivals come first, in the order of devices, and then the node's own actions.
 *
 * One event handles a window of time. No window is longer than the shortest link delay. All frames
 * that arrive in the window are therefore in flight when it begins. A window ends before the next
 * event that was scheduled with Simulator::Schedule(), since that event may read or change the
 * node. If such an event is scheduled during a window, for a time within it, the node is ahead of
 * that event. Under a SimulatorImpl other than InaSimulatorImpl, or if observers need the clock to
 * show each frame's time, a window is a single instant. The results are the same.
 */
class InaArrivals : public InaEventSource
{
  public:
    static constexpr int64_t NEVER = InaLinkDirection::NEVER;

    /** \param node number of the node */
    explicit InaArrivals(uint32_t node);

    /** Makes this object handle the arrivals at the device. Call this before frames are sent. */
    void AddDevice(InaNetDevice& device);

    /** Called by the link: the next frame to the device arrives at `ts`. */
    void
    Expect(std::size_t device, InaLinkDirection& direction, int64_t ts)
    {
        m_directions[device] = &direction;
        m_nextTs[device] = ts;
        ExpectAt(ts);
    }

    /** Handles all events at this node up to and including `ts`, the current time. */
    void RunUntil(int64_t ts);

    void FetchAhead(unsigned step) const override;

  protected:
    /** Schedules a call of RunOwn() at `ts`, unless an earlier one is due. */
    void
    ExpectOwn(int64_t ts)
    {
        m_ownTs = std::min(m_ownTs, ts);
        ExpectAt(ts);
    }

    /**
     * Performs at least one of the node's own actions that are due at `ts`.
     *
     * \returns the time step of the node's next own action, or NEVER.
     */
    virtual int64_t RunOwn(int64_t ts) = 0;

    /** Whether the node may run ahead of the clock. Implementations need not check the devices:
     * this class itself checks whether they have trace sinks for frames or carry ns-3 packets. */
    virtual bool MayRunAhead() const = 0;

    /** Handles the arrivals of a window with HandleWindowBy() and returns true. The default returns
     * false; this class then passes each arrival to the handler of its device. */
    virtual bool
    HandleWindow()
    {
        return false;
    }

    /**
     * Calls `receiver.Deliver(device, frame, ts)` for each arrival; the frame stays on its link.
     * Usually calls `receiver.FetchFor(frame)` earlier, which may prefetch data for Deliver().
     * Calls `receiver.Finish()` before own actions of the node and at the end. Finish() must
     * complete the work that Deliver() postponed, and release the values of all delivered frames.
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

    /** Whether `isSo(device, index)` is true for every device with arrivals in the window. */
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
        uint64_t order; //!< high bits: time since the start of the window; low bits: device
        /// The frame in its slot on the link. It stays there while a window is handled, because no
        /// frame is pushed onto the same direction of the link meanwhile.
        ina::Frame* frame;
    };

    /// Arrivals at one device in a window.
    struct OfDevice
    {
        std::size_t device;
        std::size_t framesInOrder; //!< number of frames without late ones (see InaLinkDirection)
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
    std::vector<InaLinkDirection*> m_directions; //!< by device; null before the first frame
    std::vector<int64_t> m_nextTs;               //!< by device: next arrival, or NEVER
    int64_t m_leastDelay{NEVER}; //!< shortest delay of the links; found at the first window
    int64_t m_ownTs{NEVER};
    int64_t m_expectedTs{0}; //!< valid while armed
    int64_t m_beginTs{0};    //!< start of the window
    bool m_handling{false};
    bool m_lastWasWindow{true};            //!< false: an instant; only used for prefetching
    std::vector<QueuedArrival> m_arrivals; //!< all arrivals in the window
    std::vector<OfDevice> m_ofDevices;     //!< devices with arrivals in the window
    std::vector<QueuedArrival> m_sorted;   //!< memory, kept for the next window
    std::vector<uint32_t> m_places;        //!< memory, kept for the next window
};

} // namespace ns3

#endif // INA_ARRIVALS_H
