/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_SIMULATOR_IMPL_H
#define INA_SIMULATOR_IMPL_H

#include "ina-source-queue.h"

#include "ns3/event-id.h"
#include "ns3/event-impl.h"
#include "ns3/simulator-impl.h"

#include <list>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{

class InaEventSource;

/**
 * \ingroup ina-network
 * A SimulatorImpl for a few sources that have very many events.
 *
 * Events of InaEventSources (at most 65535) are in an InaSourceQueue, ordinary events in a map. All
 * have sequence numbers of one series and thus the same order as under DefaultSimulatorImpl. Events
 * must be scheduled from the main thread. SetScheduler() has no effect.
 */
class InaSimulatorImpl : public SimulatorImpl
{
  public:
    static TypeId GetTypeId();

    /// Return type of Stop(delay): void up to ns-3.37, EventId in later versions.
    using StopResult = decltype(std::declval<SimulatorImpl&>().Stop(std::declval<const Time&>()));

    void Destroy() override;
    bool IsFinished() const override;
    void Stop() override;
    StopResult Stop(const Time& delay) override;
    EventId Schedule(const Time& delay, EventImpl* event) override;
    void ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event) override;
    EventId ScheduleNow(EventImpl* event) override;
    EventId ScheduleDestroy(EventImpl* event) override;
    void Remove(const EventId& id) override;
    void Cancel(const EventId& id) override;
    bool IsExpired(const EventId& id) const override;
    void Run() override;
    Time Now() const override;
    Time GetDelayLeft(const EventId& id) const override;
    Time GetMaximumSimulationTime() const override;
    void SetScheduler(ObjectFactory schedulerFactory) override;
    uint32_t GetSystemId() const override;
    uint32_t GetContext() const override;
    uint64_t GetEventCount() const override;

    /** Adds a source; called by InaEventSource. \return the number that the source now has. */
    uint16_t Register(InaEventSource& source);
    void Unregister(uint16_t number);
    /** Sets or moves the next event of a source; called by InaEventSource. */
    void Arm(uint16_t number, bool wasArmed, int64_t ts);
    void Disarm(InaEventSource& source);
    /** Time step of the next event that belongs to no source; the maximum if there is none. */
    int64_t NextOrdinaryTs() const;
    /** Time step of the next event that is not in `ignored`; the maximum if there is none. */
    int64_t NextTsExcept(const std::vector<EventId>& ignored);

  private:
    using Key = std::pair<uint64_t, uint64_t>; //!< time step, sequence

    struct Ordinary
    {
        Ptr<EventImpl> event;
        uint32_t context;
    };

    using Events = std::map<Key, Ordinary>;

    Key Insert(uint32_t context, const Time& delay, EventImpl* event);
    Events::const_iterator Find(const EventId& id) const;
    void FindNextOrdinary();
    void RunOrdinary();
    void FireNext();
    void FetchWhatFollows();

    Events m_events;
    InaSourceQueue m_queue;
    InaSourceQueue::Entry m_nextOrdinary{
        ~InaSourceQueue::Entry{0}};         //!< first of m_events; the maximum if empty
    std::vector<InaEventSource*> m_sources; //!< by number; null if the number is free
    std::size_t m_noneFreeBelow{0};         //!< all lower numbers are in use
    std::list<EventId> m_destroyEvents;
    uint64_t m_sequence{4}; //!< EventId::UID reserves lower values
    uint64_t m_now{0};
    uint64_t m_eventCount{0};
    uint32_t m_context{0xffffffff};
    bool m_stop{false};
};

} // namespace ns3

#endif // INA_SIMULATOR_IMPL_H
