/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-source-queue.h"

#include "ns3/assert.h"

#include <algorithm>
#include <functional>

namespace ns3
{

InaSourceQueue::InaSourceQueue() :
    m_firstOfDay(LEAST_DAYS, NOBODY), m_busyDays(LEAST_DAYS / WORD_BITS)
{
}

void
InaSourceQueue::AddSource(uint16_t number)
{
    const std::size_t sources = number + std::size_t{1};
    if (m_entries.size() < sources)
    {
        m_entries.resize(sources);
        m_nextOfDay.resize(sources, NOBODY);
    }
    const std::size_t days = m_firstOfDay.size();
    if (days < sources * DAYS_OF_A_SOURCE)
    {
        ChangeCalendar(m_dayShift, 2 * days, m_today);
    }
}

void
InaSourceQueue::InsertToday(Entry entry)
{
    auto at = m_events.end();
    while (at != m_events.begin() && *(at - 1) < entry)
    {
        --at;
    }
    m_events.insert(at, entry);
}

void
InaSourceQueue::InsertLater(Entry entry)
{
    m_later.push_back(entry);
    std::push_heap(m_later.begin(), m_later.end(), std::greater<>());
}

/// Sorts further events, up to `lastDay`.
void
InaSourceQueue::LookAhead(uint64_t lastDay)
{
    if (m_events.empty() && !FindToday(lastDay))
    {
        return;
    }
    lastDay = std::min(lastDay, DayOf(m_events.back()) + DAYS_AHEAD);
    while (m_events.size() < EVENTS_AHEAD && FindToday(lastDay))
    {
    }
}

/// Advances to the next day with events, unless this day is after `lastDay`. Events before that day
/// may still add earlier ones.
bool
InaSourceQueue::FindToday(uint64_t lastDay)
{
    const uint64_t later = m_later.empty() ? NEVER : DayOf(m_later.front());
    const uint64_t busy = NextBusyDay(lastDay);
    const uint64_t next = std::min(later, busy);
    if (next > lastDay || m_size == 0)
    {
        return false;
    }
    m_today = next;
    if (busy == next)
    {
        TakeDay(BucketOf(next));
    }
    while (!m_later.empty() && DayOf(m_later.front()) == next)
    {
        InsertToday(m_later.front());
        std::pop_heap(m_later.begin(), m_later.end(), std::greater<>());
        m_later.pop_back();
    }
    return true;
}

/// Next day of the ring with events, if it is not after `lastDay`.
uint64_t
InaSourceQueue::NextBusyDay(uint64_t lastDay) const
{
    const std::size_t start = BucketOf(m_today + 1);
    std::size_t word = start / WORD_BITS;
    uint64_t bits = m_busyDays[word] & ~uint64_t{0} << start % WORD_BITS;
    const uint64_t days = lastDay > m_today ? lastDay - m_today : 0;
    const uint64_t most = std::min<uint64_t>(days / WORD_BITS + 1, m_busyDays.size());
    for (uint64_t words = 0; words <= most; ++words)
    {
        if (bits != 0)
        {
            const std::size_t bucket =
                word * WORD_BITS + static_cast<std::size_t>(std::countr_zero(bits));
            return m_today + 1 + BucketOf(bucket - start);
        }
        word = (word + 1) & (m_busyDays.size() - 1);
        bits = m_busyDays[word];
    }
    return NEVER;
}

void
InaSourceQueue::TakeDay(std::size_t bucket)
{
    for (uint16_t number = m_firstOfDay[bucket]; number != NOBODY; number = m_nextOfDay[number])
    {
        InsertToday(m_entries[number]);
    }
    m_firstOfDay[bucket] = NOBODY;
    m_busyDays[bucket / WORD_BITS] &= ~(uint64_t{1} << bucket % WORD_BITS);
}

void
InaSourceQueue::Remove(uint16_t number)
{
    --m_size;
    const auto isIts = [number](Entry entry) { return NumberOf(entry) == number; };
    if (std::erase_if(m_events, isIts) != 0 ||
        RemoveFromDay(BucketOf(DayOf(m_entries[number])), number))
    {
        return;
    }
    const std::size_t removed = std::erase_if(m_later, isIts);
    NS_ASSERT(removed == 1);
    std::make_heap(m_later.begin(), m_later.end(), std::greater<>());
}

void
InaSourceQueue::Move(Entry entry)
{
    Remove(NumberOf(entry));
    Push(entry);
}

/// `bucket`: bucket of the source, if it is in the ring.
bool
InaSourceQueue::RemoveFromDay(std::size_t bucket, uint16_t number)
{
    uint16_t* at = &m_firstOfDay[bucket];
    while (*at != NOBODY && *at != number)
    {
        at = &m_nextOfDay[*at];
    }
    if (*at == NOBODY)
    {
        return false;
    }
    *at = m_nextOfDay[number];
    if (m_firstOfDay[bucket] == NOBODY)
    {
        m_busyDays[bucket / WORD_BITS] &= ~(uint64_t{1} << bucket % WORD_BITS);
    }
    return true;
}

/// Adjusts the length of a day to the mean distance between events. A factor of two costs little.
void
InaSourceQueue::ReviewLengthOfDay(uint64_t ts)
{
    const uint64_t apart = (ts - m_reviewedAt) / POPS_BETWEEN_REVIEWS;
    const int dayShift = std::max(static_cast<int>(std::bit_width(apart)) - 1, 0);
    m_reviewedAt = ts;
    m_popsUntilReview = POPS_BETWEEN_REVIEWS;
    if (std::abs(dayShift - m_dayShift) > 1)
    {
        ChangeCalendar(dayShift, m_firstOfDay.size(), ts >> dayShift);
    }
}

/// `days`: days per year, a power of two and not less than before.
void
InaSourceQueue::ChangeCalendar(int dayShift, std::size_t days, uint64_t today)
{
    std::vector<Entry> all = std::move(m_later);
    m_later.clear();
    for (std::size_t bucket = 0; bucket < m_firstOfDay.size(); ++bucket)
    {
        TakeDay(bucket);
    }
    all.insert(all.end(), m_events.begin(), m_events.end());
    m_events.clear();
    m_firstOfDay.resize(days, NOBODY);
    m_busyDays.resize(days / WORD_BITS);
    m_dayShift = dayShift;
    m_today = today;
    m_size = 0;
    for (const Entry entry : all)
    {
        Push(entry);
    }
}

} // namespace ns3
