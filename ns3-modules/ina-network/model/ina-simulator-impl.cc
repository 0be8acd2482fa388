/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-simulator-impl.h"

#include "ina-event-source.h"

#include "hw/protocol/cache_line.hpp"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/event-id.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InaSimulatorImpl");
NS_OBJECT_ENSURE_REGISTERED(InaSimulatorImpl);

namespace
{

constexpr uint32_t NO_CONTEXT = 0xffffffff;
constexpr uint32_t DESTROY_UID = 2; // as in DefaultSimulatorImpl
constexpr uint32_t ORDINARY_UID = 0x80000000;

} // namespace

TypeId
InaSimulatorImpl::GetTypeId()
{
    static TypeId tid = TypeId("ns3::InaSimulatorImpl")
                            .SetParent<SimulatorImpl>()
                            .SetGroupName("Ina")
                            .AddConstructor<InaSimulatorImpl>();
    return tid;
}

void
InaSimulatorImpl::Destroy()
{
    NS_LOG_FUNCTION(this);
    while (!m_destroyEvents.empty())
    {
        const Ptr<EventImpl> event = m_destroyEvents.front().PeekEventImpl();
        m_destroyEvents.pop_front();
        if (!event->IsCancelled())
        {
            event->Invoke();
        }
    }
    m_events.clear();
    FindNextOrdinary();
}

bool
InaSimulatorImpl::IsFinished() const
{
    return m_stop || (m_events.empty() && m_queue.Empty());
}

void
InaSimulatorImpl::Stop()
{
    NS_LOG_FUNCTION(this);
    m_stop = true;
}

InaSimulatorImpl::StopResult
InaSimulatorImpl::Stop(const Time& delay)
{
    NS_LOG_FUNCTION(this << delay);
    return static_cast<StopResult>(Simulator::Schedule(delay, &Simulator::Stop));
}

InaSimulatorImpl::Key
InaSimulatorImpl::Insert(uint32_t context, const Time& delay, EventImpl* event)
{
    NS_ASSERT_MSG(!delay.IsStrictlyNegative(), "an event cannot be scheduled in the past");
    const Key key{m_now + static_cast<uint64_t>(delay.GetTimeStep()), m_sequence++};
    m_events.emplace_hint(m_events.end(), key, Ordinary{Ptr<EventImpl>(event, false), context});
    FindNextOrdinary();
    return key;
}

EventId
InaSimulatorImpl::Schedule(const Time& delay, EventImpl* event)
{
    const Key key = Insert(m_context, delay, event);
    // EventId has 32 bits for the sequence. With the highest bit set, the sequence never wraps to
    // DESTROY_UID.
    return EventId(Ptr<EventImpl>(event),
                   key.first,
                   m_context,
                   static_cast<uint32_t>(key.second) | ORDINARY_UID);
}

void
InaSimulatorImpl::ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event)
{
    Insert(context, delay, event);
}

EventId
InaSimulatorImpl::ScheduleNow(EventImpl* event)
{
    return Schedule(Time(0), event);
}

EventId
InaSimulatorImpl::ScheduleDestroy(EventImpl* event)
{
    EventId id(Ptr<EventImpl>(event, false), m_now, NO_CONTEXT, DESTROY_UID);
    m_destroyEvents.push_back(id);
    return id;
}

InaSimulatorImpl::Events::const_iterator
InaSimulatorImpl::Find(const EventId& id) const
{
    auto at = m_events.lower_bound({id.GetTs(), 0});
    while (at != m_events.end() && at->first.first == id.GetTs())
    {
        if (PeekPointer(at->second.event) == id.PeekEventImpl())
        {
            return at;
        }
        ++at;
    }
    return m_events.end();
}

void
InaSimulatorImpl::Remove(const EventId& id)
{
    if (id.GetUid() == DESTROY_UID)
    {
        m_destroyEvents.remove(id);
        return;
    }
    const auto at = Find(id);
    if (at != m_events.end())
    {
        at->second.event->Cancel();
        m_events.erase(at);
        FindNextOrdinary();
    }
}

void
InaSimulatorImpl::Cancel(const EventId& id)
{
    if (!IsExpired(id))
    {
        id.PeekEventImpl()->Cancel();
    }
}

bool
InaSimulatorImpl::IsExpired(const EventId& id) const
{
    if (id.PeekEventImpl() == nullptr || id.PeekEventImpl()->IsCancelled())
    {
        return true;
    }
    if (id.GetUid() == DESTROY_UID)
    {
        return std::find(m_destroyEvents.begin(), m_destroyEvents.end(), id) ==
               m_destroyEvents.end();
    }
    return Find(id) == m_events.end();
}

void
InaSimulatorImpl::FindNextOrdinary()
{
    if (m_events.empty())
    {
        m_nextOrdinary = ~InaSourceQueue::Entry{0};
        return;
    }
    const auto& [ts, sequence] = m_events.begin()->first;
    m_nextOrdinary = InaSourceQueue::MakeEntry(ts, sequence, 0);
}

void
InaSimulatorImpl::Run()
{
    NS_LOG_FUNCTION(this);
    m_stop = false;
    while (!IsFinished())
    {
        ++m_eventCount;
        if (m_queue.HasBefore(m_nextOrdinary))
        {
            FireNext();
        }
        else
        {
            RunOrdinary();
        }
    }
}

void
InaSimulatorImpl::RunOrdinary()
{
    const auto next = m_events.begin();
    m_now = next->first.first;
    m_context = next->second.context;
    const Ptr<EventImpl> event = next->second.event;
    m_events.erase(next);
    FindNextOrdinary();
    event->Invoke();
}

void
InaSimulatorImpl::FireNext()
{
    const InaSourceQueue::Entry next = m_queue.Pop();
    InaEventSource* const source = m_sources[InaSourceQueue::NumberOf(next)];
    FetchWhatFollows();
    m_now = InaSourceQueue::TsOf(next);
    m_context = source->m_context;
    source->m_armed = false;
    source->Fire(static_cast<int64_t>(m_now));
}

/// Prefetches data for upcoming events in several steps. With thousands of links, the data of a
/// link leaves the cache between two events, and a chain of pointers leads to the data.
void
InaSimulatorImpl::FetchWhatFollows()
{
    constexpr std::size_t STEPS = InaEventSource::FETCH_STEPS;
    static_assert(STEPS + 1 < InaSourceQueue::EVENTS_AHEAD, "the event that happens is one");
    if (const uint16_t number = m_queue.Upcoming(STEPS); number != InaSourceQueue::NOBODY)
    {
        const auto* const object = reinterpret_cast<const char*>(m_sources[number]);
        ina::fetch_line_to_write(object);
        ina::fetch_line_to_write(object + ina::kCacheLineBytes);
    }
    for (unsigned step = 0; step < STEPS; ++step)
    {
        const uint16_t number = m_queue.Upcoming(STEPS - 1 - step);
        if (number != InaSourceQueue::NOBODY)
        {
            m_sources[number]->FetchAhead(step);
        }
    }
}

uint16_t
InaSimulatorImpl::Register(InaEventSource& source)
{
    const auto from = m_sources.begin() + static_cast<std::ptrdiff_t>(m_noneFreeBelow);
    const auto free = std::find(from, m_sources.end(), nullptr);
    const auto number = static_cast<std::size_t>(free - m_sources.begin());
    NS_ABORT_MSG_IF(number >= InaSourceQueue::MAX_SOURCES, "too many event sources");
    if (free == m_sources.end())
    {
        m_sources.push_back(&source);
    }
    else
    {
        *free = &source;
    }
    m_noneFreeBelow = number + 1;
    m_queue.AddSource(static_cast<uint16_t>(number));
    return static_cast<uint16_t>(number);
}

void
InaSimulatorImpl::Unregister(uint16_t number)
{
    m_sources[number] = nullptr;
    m_noneFreeBelow = std::min<std::size_t>(m_noneFreeBelow, number);
}

void
InaSimulatorImpl::Arm(uint16_t number, bool wasArmed, int64_t ts)
{
    NS_ABORT_MSG_IF(static_cast<uint64_t>(ts) < m_now,
                    "an event is due at " << ts << " ps, which is in the past: the time is "
                                          << m_now << " ps");
    const auto entry = InaSourceQueue::MakeEntry(static_cast<uint64_t>(ts), m_sequence++, number);
    if (wasArmed) [[unlikely]]
    {
        m_queue.Move(entry);
    }
    else
    {
        m_queue.Push(entry);
    }
}

int64_t
InaSimulatorImpl::NextOrdinaryTs() const
{
    return m_events.empty() ? std::numeric_limits<int64_t>::max()
                            : static_cast<int64_t>(m_events.begin()->first.first);
}

int64_t
InaSimulatorImpl::NextTsExcept(const std::vector<EventId>& ignored)
{
    const auto isIgnored = [&ignored](const Events::value_type& event)
    {
        return std::ranges::find(ignored,
                                 PeekPointer(event.second.event),
                                 &EventId::PeekEventImpl) != ignored.end();
    };
    const auto ordinary = std::ranges::find_if_not(m_events, isIgnored);
    int64_t next = std::numeric_limits<int64_t>::max();
    if (ordinary != m_events.end())
    {
        next = static_cast<int64_t>(ordinary->first.first);
    }
    if (const auto ts = m_queue.NextTsBefore(static_cast<uint64_t>(next)))
    {
        next = static_cast<int64_t>(*ts);
    }
    return next;
}

void
InaSimulatorImpl::Disarm(InaEventSource& source)
{
    m_queue.Remove(source.m_number);
}

Time
InaSimulatorImpl::Now() const
{
    return TimeStep(m_now);
}

Time
InaSimulatorImpl::GetDelayLeft(const EventId& id) const
{
    return IsExpired(id) ? TimeStep(0) : TimeStep(id.GetTs() - m_now);
}

Time
InaSimulatorImpl::GetMaximumSimulationTime() const
{
    return TimeStep(static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
}

void
InaSimulatorImpl::SetScheduler(ObjectFactory)
{
    NS_LOG_LOGIC("InaSimulatorImpl has its own event lists");
}

uint32_t
InaSimulatorImpl::GetSystemId() const
{
    return 0;
}

uint32_t
InaSimulatorImpl::GetContext() const
{
    return m_context;
}

uint64_t
InaSimulatorImpl::GetEventCount() const
{
    return m_eventCount;
}

} // namespace ns3
