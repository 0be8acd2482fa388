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
 * Something with at most one next event at any time: a link direction (the arrival of its oldest
 * frame), a timer.
 *
 * Under InaSimulatorImpl the events of sources are kept without allocation; under any other
 * SimulatorImpl they are ordinary events. The order of events is the same: by time, then by the
 * order of Arm() and Simulator::Schedule() calls.
 */
class InaEventSource
{
  public:
    /** \param context the node on whose behalf the events happen */
    explicit InaEventSource(uint32_t context);
    virtual ~InaEventSource();
    InaEventSource(const InaEventSource&) = delete;
    InaEventSource& operator=(const InaEventSource&) = delete;

    /** Sets or moves the next event to `ts`, an absolute time in time steps, not before now. */
    void Arm(int64_t ts);
    void Disarm();

    bool
    IsArmed() const
    {
        return m_armed;
    }

    static constexpr unsigned FETCH_STEPS = 7;

    /**
     * Its next event comes soon: brings what that will need into the cache, where thousands of
     * others have driven it out. Called under InaSimulatorImpl before most events, with `step` from
     * 0 to FETCH_STEPS - 1 and an event between, so that a step may read what the one before has
     * brought; the object itself was brought first. As events come between and go, a step may be
     * left out or come twice.
     */
    virtual void
    FetchAhead(unsigned /* step */) const
    {
    }

  protected:
    /** When the next event that is none of a source happens; the beginning of time where that is
     * not known, under another SimulatorImpl. */
    int64_t NextOrdinaryTs() const;

    /** The event at time `ts`, which is now. The source is not armed while it runs, unless it arms
     * itself. */
    virtual void Fire(int64_t ts) = 0;

  private:
    friend class InaSimulatorImpl;

    void ScheduleOrdinary(bool wasArmed, int64_t ts);

    Ptr<InaSimulatorImpl> m_impl; //!< null under another implementation
    Ptr<EventImpl>
        m_event; //!< the ordinary event; cancelled when the source is moved, disarmed or destroyed
    uint32_t m_context;
    uint16_t m_number{0}; //!< among the sources of m_impl
    bool m_armed{false};
};

} // namespace ns3

#endif // INA_EVENT_SOURCE_H
