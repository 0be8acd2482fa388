/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#ifndef INA_SOURCE_QUEUE_H
#define INA_SOURCE_QUEUE_H

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * \ingroup ina-network
 * Priority queue of the next events of numbered sources, at most one event per source.
 *
 * It is a calendar queue: time is divided into days. A day is about as long as the average time
 * between two events, and thus has about one event. There are three parts. Events up to the day
 * m_today are sorted; this day is at most a few days after the next event. Events of the following
 * year are in a ring with a list for each day. Later events are in a binary heap. A year has
 * several days per source, so that the events of most sources are in the ring.
 */
class InaSourceQueue
{
  public:
    /// An event: time step (64 bits), sequence number (48 bits) and number of its source (16 bits).
    /// If an event is earlier, its entry is a smaller number.
    __extension__ using Entry = unsigned __int128;

    static constexpr std::size_t MAX_SOURCES = std::numeric_limits<uint16_t>::max();
    static constexpr uint16_t NOBODY = std::numeric_limits<uint16_t>::max();
    static constexpr std::size_t EVENTS_AHEAD = 12;

    InaSourceQueue();

    static Entry
    MakeEntry(uint64_t ts, uint64_t sequence, uint16_t number)
    {
        return Entry{ts} << TS_SHIFT | Entry{sequence} << NUMBER_BITS | number;
    }

    static uint64_t
    TsOf(Entry entry)
    {
        return static_cast<uint64_t>(entry >> TS_SHIFT);
    }

    static uint16_t
    NumberOf(Entry entry)
    {
        return static_cast<uint16_t>(entry);
    }

    bool
    Empty() const
    {
        return m_size == 0;
    }

    /** Allocates memory for the source. */
    void AddSource(uint16_t number);

    void
    Push(Entry entry)
    {
        ++m_size;
        const uint64_t day = DayOf(entry);
        if (day <= m_today)
        {
            InsertToday(entry);
        }
        else if (day - m_today < m_firstOfDay.size())
        {
            InsertThisYear(entry, day);
        }
        else
        {
            InsertLater(entry);
        }
    }

    /** Whether there is an event before `limit`. If so, Pop() returns it. */
    bool
    HasBefore(Entry limit)
    {
        if (m_events.size() < EVENTS_AHEAD)
        {
            LookAhead(DayOf(limit));
        }
        return !m_events.empty() && m_events.back() < limit;
    }

    /** Time step of the next event, if there is one before `ts`. */
    std::optional<uint64_t>
    NextTsBefore(uint64_t ts)
    {
        if (!HasBefore(MakeEntry(ts, 0, 0)))
        {
            return std::nullopt;
        }
        return TsOf(m_events.back());
    }

    /** Removes and returns the event that HasBefore() has found. */
    Entry
    Pop()
    {
        const Entry entry = m_events.back();
        m_events.pop_back();
        --m_size;
        if (--m_popsUntilReview == 0)
        {
            ReviewLengthOfDay(TsOf(entry));
        }
        return entry;
    }

    /** The source whose event comes after exactly `earlier` other events, or NOBODY if this source
     * is not known yet. Usually the next EVENTS_AHEAD events are known before a Pop(). Fewer are
     * known while events are far apart, or if the limit of HasBefore() comes before them. */
    uint16_t
    Upcoming(std::size_t earlier) const
    {
        return earlier < m_events.size() ? NumberOf(m_events[m_events.size() - 1 - earlier])
                                         : NOBODY;
    }

    /** Removes the event of a source. The source must have an event. */
    void Remove(uint16_t number);
    /** Replaces the event of the source NumberOf(entry) by `entry`. */
    void Move(Entry entry);

  private:
    static constexpr int TS_SHIFT = 64;
    static constexpr int NUMBER_BITS = 16;
    static constexpr std::size_t LEAST_DAYS = 1024; // minimum number of days in a year
    static constexpr std::size_t DAYS_OF_A_SOURCE = 4;
    /// Maximum number of days to sort ahead, since many new events may still precede later ones.
    static constexpr uint64_t DAYS_AHEAD = 64;
    static constexpr std::size_t WORD_BITS = 64;
    static constexpr uint64_t NEVER = std::numeric_limits<uint64_t>::max();
    static constexpr uint32_t POPS_BETWEEN_REVIEWS = 1U << 12;

    uint64_t
    DayOf(Entry entry) const
    {
        return TsOf(entry) >> m_dayShift;
    }

    std::size_t
    BucketOf(uint64_t day) const
    {
        return day & (m_firstOfDay.size() - 1);
    }

    void
    InsertThisYear(Entry entry, uint64_t day)
    {
        const uint16_t number = NumberOf(entry);
        const std::size_t bucket = BucketOf(day);
        m_entries[number] = entry;
        m_nextOfDay[number] = m_firstOfDay[bucket];
        m_firstOfDay[bucket] = number;
        m_busyDays[bucket / WORD_BITS] |= uint64_t{1} << bucket % WORD_BITS;
    }

    void InsertToday(Entry entry);
    void InsertLater(Entry entry);
    void LookAhead(uint64_t lastDay);
    bool FindToday(uint64_t lastDay);
    uint64_t NextBusyDay(uint64_t lastDay) const;
    void TakeDay(std::size_t bucket);
    void ReviewLengthOfDay(uint64_t ts);
    void ChangeCalendar(int dayShift, std::size_t days, uint64_t today);
    bool RemoveFromDay(std::size_t bucket, uint16_t number);

    int m_dayShift{0}; //!< a day has 2^m_dayShift time steps
    uint64_t m_today{0};
    std::vector<Entry> m_events;        //!< events up to m_today, sorted; the next one is last
    std::vector<uint16_t> m_firstOfDay; //!< by day: first source; size is a power of two
    std::vector<uint64_t> m_busyDays;   //!< bit set of days with events
    std::vector<uint16_t> m_nextOfDay;  //!< by source: next source of the same day
    std::vector<Entry> m_entries;       //!< by source; valid for sources in the ring
    std::vector<Entry> m_later;         //!< binary heap of the events after the ring's year
    std::size_t m_size{0};
    uint32_t m_popsUntilReview{POPS_BETWEEN_REVIEWS};
    uint64_t m_reviewedAt{0}; //!< time step of the last ReviewLengthOfDay()
};

} // namespace ns3

#endif // INA_SOURCE_QUEUE_H
