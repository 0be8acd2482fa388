/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_EVENT_SOURCE_H
#define INA_EVENT_SOURCE_H

#include "ns3/event-impl.h"
#include "ns3/ptr.h"

#include <cstdint>

namespace ns3
{

class InaSimulatorImpl;

/**
 * \ingroup ina-network
 * An object with at most one pending event. Examples are a link direction, whose event is its next
 * arrival, and a timer.
 *
 * Under InaSimulatorImpl, the events of sources need no allocation. Under any other SimulatorImpl
 * they are ordinary events. In both cases, events are ordered by time, and at equal times by the
 * order of the calls of Arm() and Simulator::Schedule().
 */
class InaEventSource
{
  public:
    /** \param context number of the node to which the events belong */
    explicit InaEventSource(uint32_t context);
    virtual ~InaEventSource();
    InaEventSource(const InaEventSource&) = delete;
    InaEventSource& operator=(const InaEventSource&) = delete;

    /** Sets or moves the next event to time step `ts`, which must not be in the past. */
    void Arm(int64_t ts);
    void Disarm();

    bool
    IsArmed() const
    {
        return m_armed;
    }

    static constexpr unsigned FETCH_STEPS = 7;

    /**
     * Prefetches data for this source's next event. Thousands of other events have evicted it from
     * the cache. InaSimulatorImpl calls this before most events, with each `step` below
     * FETCH_STEPS. One other event happens between two steps, so that a step may read data that the
     * previous step prefetched. The object itself is in the cache at step 0. A step may be omitted
     * or repeated if events are inserted or removed in between.
     */
    virtual void
    FetchAhead(unsigned /* step */) const
    {
    }

  protected:
    /** Time step of the next event that does not belong to an InaEventSource. Returns 0 under a
     * SimulatorImpl other than InaSimulatorImpl, where this time is unknown. */
    int64_t NextOrdinaryTs() const;

    /** Handles the event at `ts`, the current time. The source is not armed at this moment. It may
     * arm itself again. */
    virtual void Fire(int64_t ts) = 0;

  private:
    friend class InaSimulatorImpl;

    void ScheduleOrdinary(bool wasArmed, int64_t ts);

    Ptr<InaSimulatorImpl> m_impl; //!< null under another SimulatorImpl
    Ptr<EventImpl>
        m_event; //!< ordinary event; cancelled when the source is moved, disarmed or destroyed
    uint32_t m_context;
    uint16_t m_number{0}; //!< number of this source at m_impl
    bool m_armed{false};
};

} // namespace ns3

#endif // INA_EVENT_SOURCE_H
