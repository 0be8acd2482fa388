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
 * What happens at a node with several devices, as a switch is, in one order: by time; of one
 * instant the arrivals first, by device, and then what the node does by itself.
 *
 * A window of time is handled in one event: what arrives within the least delay of the links is
 * under way already, for what is sent from now on arrives later. The window ends before the next
 * event that was scheduled with Simulator::Schedule(), which may look at the node or change it; one
 * that is scheduled meanwhile, for a time within the window, finds the node ahead of the clock.
 * Under another SimulatorImpl than InaSimulatorImpl, and where the clock has to be right, each
 * instant is handled by itself, with the same results.
 */
class InaArrivals : public InaEventSource
{
  public:
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

    /** \param node the node's number */
    explicit InaArrivals(uint32_t node);

    /** Frames that arrive at the device are handled here from now on; before the first one. */
    void AddDevice(InaNetDevice& device);

    /** Called by the link: the next frame to the device arrives at `ts`. */
    void
    Expect(std::size_t device, InaLinkDirection& direction, int64_t ts)
    {
        m_directions[device] = &direction;
        m_nextTs[device] = ts;
        ExpectAt(ts);
    }

    /** Handles all that happens until `ts`, which is now. */
    void RunUntil(int64_t ts);

    void FetchAhead(unsigned step) const override;

  protected:
    /** The node does something by itself at `ts`, too. */
    void
    ExpectOwn(int64_t ts)
    {
        m_ownTs = std::min(m_ownTs, ts);
        ExpectAt(ts);
    }

    /**
     * The node does what it does by itself at `ts`.
     *
     * \returns when it does something the next time, or NEVER.
     */
    virtual int64_t RunOwn(int64_t ts) = 0;

    /** Whether nobody minds that the simulator's clock lags behind, beside who traces frames or
     * sends packets. */
    virtual bool MayRunAhead() const = 0;

    /** Handles the arrivals of a window by HandleWindowBy(), or returns false, as it is here: then
     * each is handed over to who handles its device's frames. */
    virtual bool
    HandleWindow()
    {
        return false;
    }

    /**
     * Handles them where they stand, by `receiver.Deliver(device, frame, ts)`, some time after
     * `receiver.FetchFor(frame)` for most of them, which may bring what that takes into the cache.
     * What Deliver() left for later is done by `receiver.Finish()`, before the node does something
     * by itself and at the end. They leave no values in the frames.
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

    /** Whether `isSo(device, deviceNumber)` for all devices of which there are arrivals. */
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
    static constexpr std::size_t FRAMES_AHEAD = 8; //!< in whose time memory answers

    struct QueuedArrival
    {
        uint64_t order; //!< time since the window's begin, then the device
        /// Where it stands on its link. It stays there while a window is handled: what is sent
        /// meanwhile leaves by other links, or by other directions of these.
        ina::Frame* frame;
    };

    /// What arrives at a device in a window.
    struct OfDevice
    {
        std::size_t device;
        std::size_t framesInOrder; //!< but for those that were overtaken
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
    std::vector<InaLinkDirection*> m_directions; //!< by device; null: nothing ever came
    std::vector<int64_t> m_nextTs;               //!< by device: the next arrival, or NEVER
    int64_t m_leastDelay{NEVER}; //!< of the links to the devices; found at the first window
    int64_t m_ownTs{NEVER};
    int64_t m_expectedTs{0}; //!< if it is armed
    int64_t m_beginTs{0};    //!< of the window
    bool m_handling{false};
    bool m_lastWasWindow{true};            //!< and not an instant; only to know what to fetch
    std::vector<QueuedArrival> m_arrivals; //!< of the window
    std::vector<OfDevice> m_ofDevices;     //!< likewise
    std::vector<QueuedArrival> m_sorted;   //!< kept for the next window
    std::vector<uint32_t> m_places;        //!< likewise
};

} // namespace ns3

#endif // INA_ARRIVALS_H
