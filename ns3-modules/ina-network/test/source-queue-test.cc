/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ns3/ina-source-queue.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

namespace ns3
{
namespace
{

using Entry = InaSourceQueue::Entry;

constexpr uint16_t SOURCES = 200;
constexpr Entry ALWAYS = ~Entry{0};

/** A queue and an ordered set with the same content. */
class Pair
{
  public:
    Pair()
    {
        AddSources(0, SOURCES);
    }

    void
    AddSources(uint16_t from, uint16_t to)
    {
        for (uint16_t number = from; number < to; ++number)
        {
            m_queue.AddSource(number);
        }
    }

    uint16_t
    Upcoming(std::size_t earlier) const
    {
        return m_queue.Upcoming(earlier);
    }

    void
    Push(uint64_t ts, uint16_t number)
    {
        const Entry entry = InaSourceQueue::MakeEntry(ts, m_sequence++, number);
        m_queue.Push(entry);
        m_set.insert(entry);
        m_of[number] = entry;
    }

    void
    Remove(uint16_t number)
    {
        m_queue.Remove(number);
        m_set.erase(m_of.at(number));
        m_of.erase(number);
    }

    bool
    Has(uint16_t number) const
    {
        return m_of.contains(number);
    }

    /** Takes the next event before `limit` from both, and compares. */
    std::optional<Entry>
    Pop(Entry limit)
    {
        const bool has = !m_set.empty() && *m_set.begin() < limit;
        EXPECT_EQ(m_queue.HasBefore(limit), has);
        EXPECT_EQ(m_queue.Empty(), m_set.empty());
        if (!has)
        {
            return std::nullopt;
        }
        const Entry entry = m_queue.Pop();
        EXPECT_EQ(static_cast<uint64_t>(entry), static_cast<uint64_t>(*m_set.begin()));
        EXPECT_EQ(InaSourceQueue::TsOf(entry), InaSourceQueue::TsOf(*m_set.begin()));
        m_set.erase(m_set.begin());
        m_of.erase(InaSourceQueue::NumberOf(entry));
        CompareUpcoming();
        return entry;
    }

  private:
    void
    CompareUpcoming() const
    {
        auto next = m_set.begin();
        for (std::size_t earlier = 0; earlier < InaSourceQueue::EVENTS_AHEAD; ++earlier)
        {
            const uint16_t number = m_queue.Upcoming(earlier);
            if (number == InaSourceQueue::NOBODY)
            {
                return;
            }
            ASSERT_NE(next, m_set.end());
            ASSERT_EQ(number, InaSourceQueue::NumberOf(*next));
            ++next;
        }
    }

    InaSourceQueue m_queue;
    std::set<Entry> m_set;
    std::map<uint16_t, Entry> m_of;
    uint64_t m_sequence{0};
};

TEST(InaSourceQueue, KeepsTheOrderOfTimesAndThenOfSequencesAtAnyDensity)
{
    constexpr uint64_t SEED = 7;
    RecordProperty("seed", SEED);
    std::mt19937_64 random(SEED);
    for (const uint64_t mostApart :
         {0ULL, 1ULL, 100ULL, 30'000ULL, 1'000'000ULL, 10'000'000'000ULL})
    {
        SCOPED_TRACE(mostApart);
        Pair pair;
        uint64_t now = 0;
        for (int step = 0; step < 50'000; ++step)
        {
            const auto number = static_cast<uint16_t>(random() % SOURCES);
            if (!pair.Has(number))
            {
                const uint64_t farther = random() % 50 == 0 ? 1000 : 1;
                pair.Push(now + random() % (mostApart * farther + 1), number);
            }
            else if (random() % 20 == 0)
            {
                pair.Remove(number);
            }
            else if (random() % 3 == 0)
            {
                const uint64_t limit = now + random() % (2 * mostApart + 1);
                if (!pair.Pop(InaSourceQueue::MakeEntry(limit, 0, 0)))
                {
                    now = limit;
                }
            }
            else if (const auto entry = pair.Pop(ALWAYS))
            {
                now = InaSourceQueue::TsOf(*entry);
            }
        }
    }
}

TEST(InaSourceQueue, FollowsADensityThatChanges)
{
    Pair pair;
    uint64_t now = 0;
    for (const uint64_t apart : {1ULL, 1'000'000ULL, 10ULL, 1'000'000'000ULL, 1ULL})
    {
        for (int step = 0; step < 20'000; ++step)
        {
            const auto number = static_cast<uint16_t>(step % SOURCES);
            if (pair.Has(number))
            {
                pair.Remove(number);
            }
            pair.Push(now + apart * (static_cast<uint64_t>(step) % 7), number);
            const auto entry = pair.Pop(ALWAYS);
            ASSERT_TRUE(entry);
            now = InaSourceQueue::TsOf(*entry);
        }
    }
}

TEST(InaSourceQueue, TakesEventsBeforeTheOneThatItRefusedToPass)
{
    Pair pair;
    pair.Push(1'000'000'000, 0);
    EXPECT_FALSE(pair.Pop(InaSourceQueue::MakeEntry(500, 0, 0)));
    // The sources armed now are due long before the refused event.
    for (uint16_t number = 1; number < 100; ++number)
    {
        pair.Push(500 + uint64_t{number} * 3, number);
    }
    uint64_t last = 0;
    for (int i = 0; i < 100; ++i)
    {
        const auto entry = pair.Pop(ALWAYS);
        ASSERT_TRUE(entry);
        EXPECT_GE(InaSourceQueue::TsOf(*entry), last);
        last = InaSourceQueue::TsOf(*entry);
    }
    EXPECT_FALSE(pair.Pop(ALWAYS));
}

TEST(InaSourceQueue, KeepsTheOrderWhenTheYearGetsLongerForMoreSources)
{
    constexpr uint64_t SEED = 11;
    RecordProperty("seed", SEED);
    std::mt19937_64 random(SEED);
    Pair pair;
    uint64_t now = 0;
    uint16_t sources = SOURCES;
    for (int step = 0; step < 60'000; ++step)
    {
        if (step % 10'000 == 5'000)
        {
            const auto more = static_cast<uint16_t>(sources * 2);
            pair.AddSources(sources, more);
            sources = more;
        }
        const auto number = static_cast<uint16_t>(random() % sources);
        if (!pair.Has(number))
        {
            pair.Push(now + random() % 100'000, number);
        }
        else
        {
            const auto entry = pair.Pop(ALWAYS);
            ASSERT_TRUE(entry);
            now = InaSourceQueue::TsOf(*entry);
        }
    }
    while (pair.Pop(ALWAYS))
    {
    }
}

TEST(InaSourceQueue, ShowsTheNextEventsOfSourcesThatTakeTurns)
{
    constexpr uint64_t PERIOD = 24'480;
    constexpr uint16_t MANY = 3'000;
    constexpr int EVENTS = 100'000;
    constexpr std::size_t FAR = InaSourceQueue::EVENTS_AHEAD - 2; // last event known after a Pop()
    Pair pair;
    pair.AddSources(SOURCES, MANY);
    for (uint16_t number = 0; number < MANY; ++number)
    {
        pair.Push(uint64_t{number} * PERIOD / MANY, number);
    }
    std::deque<uint16_t> shown; // by number of events from now
    int known = 0;
    for (int event = 0; event < EVENTS; ++event)
    {
        const Entry entry = pair.Pop(ALWAYS).value();
        const uint16_t number = InaSourceQueue::NumberOf(entry);
        if (shown.size() > FAR)
        {
            if (shown.front() != InaSourceQueue::NOBODY)
            {
                EXPECT_EQ(shown.front(), number);
                ++known;
            }
            shown.pop_front();
        }
        shown.push_back(pair.Upcoming(FAR));
        pair.Push(InaSourceQueue::TsOf(entry) + PERIOD, number);
    }
    EXPECT_GT(known, EVENTS * 9 / 10);
}

TEST(InaSourceQueue, ShowsNobodyBehindTheLastEvent)
{
    Pair pair;
    pair.Push(5, 3);
    pair.Push(6, 4);
    ASSERT_TRUE(pair.Pop(ALWAYS));
    EXPECT_EQ(pair.Upcoming(0), 4);
    EXPECT_EQ(pair.Upcoming(1), InaSourceQueue::NOBODY);
}

TEST(InaSourceQueue, RemovesFromTodayFromTheYearAndFromLater)
{
    for (const uint64_t ts : {0ULL, 5ULL, 500ULL, 1'000'000'000'000ULL})
    {
        SCOPED_TRACE(ts);
        Pair pair;
        pair.Push(ts, 3);
        pair.Push(ts, 4);
        pair.Push(ts + 1, 5);
        pair.Remove(3);
        EXPECT_EQ(InaSourceQueue::NumberOf(pair.Pop(ALWAYS).value()), 4);
        pair.Remove(5);
        EXPECT_FALSE(pair.Pop(ALWAYS));
    }
}

} // namespace
} // namespace ns3
