/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// Guarantees of ns-3 for simulator implementations. DefaultSimulatorImpl must pass the same tests.
#include "network-test-support.h"

#include "ns3/event-id.h"
#include "ns3/ina-event-source.h"
#include "ns3/ina-simulator-impl.h"

#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace ns3
{
namespace
{

class CallingSource : public InaEventSource
{
  public:
    CallingSource(uint32_t context, std::function<void(int64_t)> action) :
        InaEventSource(context), m_action(std::move(action))
    {
    }

  private:
    void
    Fire(int64_t ts) override
    {
        m_action(ts);
    }

    std::function<void(int64_t)> m_action;
};

/// Fires every `period`, and records the prefetch steps before each event.
class FetchingSource : public InaEventSource
{
  public:
    explicit FetchingSource(int64_t period) : InaEventSource(0), m_period(period) {}

    void
    FetchAhead(unsigned step) const override
    {
        m_steps.push_back(step);
    }

    /** Number of events that were preceded by all steps in order. */
    int
    Prepared() const
    {
        return m_prepared;
    }

  private:
    void
    Fire(int64_t ts) override
    {
        std::vector<unsigned> all(FETCH_STEPS);
        std::iota(all.begin(), all.end(), 0U);
        m_prepared += m_steps == all ? 1 : 0;
        m_steps.clear();
        Arm(ts + m_period);
    }

    int64_t m_period;
    mutable std::vector<unsigned> m_steps;
    int m_prepared{0};
};

class SimulatorImplTest : public testing::TestWithParam<const char*>
{
  protected:
    FreshSimulator m_fresh{GetParam()};
    std::vector<std::string> m_log;

    std::function<void()>
    Note(const std::string& what)
    {
        return [this, what] { m_log.push_back(what); };
    }

    static int64_t
    Now()
    {
        return Simulator::Now().GetTimeStep();
    }
};

INSTANTIATE_TEST_SUITE_P(Simulators,
                         SimulatorImplTest,
                         testing::ValuesIn(SIMULATORS),
                         NameOfSimulator);

TEST_P(SimulatorImplTest, EventsOfOneTimeHappenInTheOrderOfScheduling)
{
    CallingSource source(0, [this](int64_t) { m_log.push_back("source"); });
    Simulator::Schedule(Picoseconds(5), Note("first"));
    source.Arm(5);
    Simulator::Schedule(Picoseconds(5), Note("third"));
    Simulator::Schedule(Picoseconds(4),
                        [this]
                        {
                            Simulator::Schedule(Picoseconds(1), Note("last"));
                            Simulator::ScheduleNow(Note("now"));
                        });
    Simulator::Run();
    EXPECT_EQ(m_log, (std::vector<std::string>{"now", "first", "source", "third", "last"}));
    EXPECT_EQ(Now(), 5);
}

TEST_P(SimulatorImplTest, AMovedSourceFiresOnceAtItsNewTimeAndInItsNewPlace)
{
    CallingSource source(0,
                         [this](int64_t ts) { m_log.push_back("source " + std::to_string(ts)); });
    source.Arm(5);
    source.Arm(9);
    Simulator::Schedule(Picoseconds(9), Note("after"));
    Simulator::Schedule(Picoseconds(3), Note("before"));
    Simulator::Run();
    EXPECT_EQ(m_log, (std::vector<std::string>{"before", "source 9", "after"}));
    source.Arm(30);
    source.Arm(20);
    Simulator::Run();
    EXPECT_EQ(m_log.back(), "source 20");
    EXPECT_EQ(m_log.size(), 4U);
}

TEST_P(SimulatorImplTest, ASourceMayArmItselfWhileItFires)
{
    std::vector<int64_t> fired;
    std::unique_ptr<CallingSource> source;
    source = std::make_unique<CallingSource>(0,
                                             [&](int64_t ts)
                                             {
                                                 fired.push_back(ts);
                                                 if (ts < 30)
                                                 {
                                                     source->Arm(ts + 10);
                                                 }
                                             });
    source->Arm(10);
    Simulator::Run();
    EXPECT_EQ(fired, (std::vector<int64_t>{10, 20, 30}));
    EXPECT_FALSE(source->IsArmed());
}

TEST_P(SimulatorImplTest, ADestroyedSourceNeverFires)
{
    auto source = std::make_unique<CallingSource>(0, [this](int64_t) { m_log.push_back("fired"); });
    source->Arm(5);
    Simulator::Schedule(Picoseconds(4), [&source] { source.reset(); });
    Simulator::Schedule(Picoseconds(6), Note("later"));
    Simulator::Run();
    EXPECT_EQ(m_log, std::vector<std::string>{"later"});
}

TEST_P(SimulatorImplTest, ManySourcesFireInTheOrderOfTime)
{
    constexpr int64_t SOURCES = 1000;
    std::vector<std::unique_ptr<CallingSource>> sources;
    std::vector<int64_t> fired;
    for (int64_t i = 0; i < SOURCES; ++i)
    {
        sources.push_back(
            std::make_unique<CallingSource>(0, [&fired](int64_t ts) { fired.push_back(ts); }));
        sources.back()->Arm(1 + i * 7919 % SOURCES);
    }
    Simulator::Run();
    ASSERT_EQ(fired.size(), std::size_t{SOURCES});
    for (int64_t i = 0; i < SOURCES; ++i)
    {
        ASSERT_EQ(fired[static_cast<std::size_t>(i)], i + 1);
    }
}

TEST_P(SimulatorImplTest, GetDelayLeftCountsDownAndIsZeroForWhatIsOver)
{
    const EventId event = Simulator::Schedule(Picoseconds(100), Note("event"));
    EXPECT_EQ(Simulator::GetDelayLeft(event), Picoseconds(100));
    Simulator::Schedule(Picoseconds(30),
                        [&] { EXPECT_EQ(Simulator::GetDelayLeft(event), Picoseconds(70)); });
    Simulator::Run();
    EXPECT_EQ(Simulator::GetDelayLeft(event), Picoseconds(0));
}

TEST_P(SimulatorImplTest, AnEventIsExpiredOnceItHappensOrIsCancelledOrRemoved)
{
    EXPECT_TRUE(Simulator::IsExpired(EventId()));
    const EventId cancelled = Simulator::Schedule(Picoseconds(10), Note("cancelled"));
    const EventId removed = Simulator::Schedule(Picoseconds(10), Note("removed"));
    EventId event;
    event = Simulator::Schedule(Picoseconds(10),
                                [this, &event]
                                {
                                    EXPECT_TRUE(Simulator::IsExpired(event));
                                    m_log.push_back("event");
                                });
    EXPECT_FALSE(Simulator::IsExpired(event));
    Simulator::Cancel(cancelled);
    Simulator::Remove(removed);
    EXPECT_TRUE(Simulator::IsExpired(cancelled));
    EXPECT_TRUE(Simulator::IsExpired(removed));
    Simulator::Run();
    EXPECT_TRUE(Simulator::IsExpired(event));
    Simulator::Cancel(event);
    Simulator::Remove(event);
    EXPECT_EQ(m_log, std::vector<std::string>{"event"});
}

TEST_P(SimulatorImplTest, TheContextIsTheOneOfTheEvent)
{
    std::vector<uint32_t> contexts;
    const auto note = [&contexts] { contexts.push_back(Simulator::GetContext()); };
    CallingSource source(8,
                         [&](int64_t)
                         {
                             note();
                             Simulator::Schedule(Picoseconds(1), note); // inherits the context
                         });
    EXPECT_EQ(Simulator::GetContext(), Simulator::NO_CONTEXT);
    Simulator::Schedule(Picoseconds(1), note);
    Simulator::ScheduleWithContext(7, Picoseconds(2), note);
    source.Arm(3);
    Simulator::Run();
    EXPECT_EQ(contexts, (std::vector<uint32_t>{Simulator::NO_CONTEXT, 7, 8, 8}));
}

TEST_P(SimulatorImplTest, DestroyEventsHappenInOrderAtTheEnd)
{
    Simulator::ScheduleDestroy(Note("first"));
    const EventId cancelled = Simulator::ScheduleDestroy(Note("cancelled"));
    const EventId removed = Simulator::ScheduleDestroy(Note("removed"));
    const EventId last = Simulator::ScheduleDestroy(Note("last"));
    Simulator::Schedule(Picoseconds(1), Note("event"));
    EXPECT_FALSE(Simulator::IsExpired(last));
    Simulator::Cancel(cancelled);
    Simulator::Remove(removed);
    EXPECT_TRUE(Simulator::IsExpired(cancelled));
    EXPECT_TRUE(Simulator::IsExpired(removed));
    Simulator::Run();
    Simulator::Destroy();
    EXPECT_EQ(m_log, (std::vector<std::string>{"event", "first", "last"}));
}

TEST_P(SimulatorImplTest, StopEndsTheRunAndTheNextRunGoesOn)
{
    Simulator::Schedule(Picoseconds(10), Note("10"));
    Simulator::Schedule(Picoseconds(20), Note("20"));
    CallingSource source(0, [this](int64_t) { m_log.push_back("source"); });
    source.Arm(20);
    Simulator::Stop(Picoseconds(15));
    Simulator::Run();
    EXPECT_EQ(m_log, std::vector<std::string>{"10"});
    EXPECT_EQ(Now(), 15);
    Simulator::Run();
    EXPECT_EQ(m_log, (std::vector<std::string>{"10", "20", "source"}));
    EXPECT_TRUE(Simulator::IsFinished());
}

TEST(InaSimulatorImplTest, SourcesThatTakeTurnsArePreparedForNearlyAllEvents)
{
    constexpr int64_t APART = 100;
    constexpr int SOURCES = 64;
    constexpr int ROUNDS = 1000;
    FreshSimulator fresh;
    std::vector<std::unique_ptr<FetchingSource>> sources;
    for (int number = 0; number < SOURCES; ++number)
    {
        sources.push_back(std::make_unique<FetchingSource>(SOURCES * APART));
        sources.back()->Arm((number + 1) * APART);
    }
    Simulator::Stop(Picoseconds(ROUNDS * SOURCES * APART));
    Simulator::Run();
    int prepared = 0;
    for (const auto& source : sources)
    {
        prepared += source->Prepared();
    }
    EXPECT_GT(prepared, ROUNDS * SOURCES * 9 / 10);
}

TEST(InaSimulatorImplTest, KnowsWhenTheNextEventIsThatIsNotIgnored)
{
    const FreshSimulator fresh;
    const auto simulator = DynamicCast<InaSimulatorImpl>(Simulator::GetImplementation());
    ASSERT_NE(simulator, nullptr);
    const EventId first = Simulator::Schedule(Picoseconds(5), [] {});
    const EventId second = Simulator::Schedule(Picoseconds(1'000'000'000'000'000), [] {});
    CallingSource source(0, [](int64_t) {});
    source.Arm(1'000'000'000);
    EXPECT_EQ(simulator->NextTsExcept({}), 5);
    EXPECT_EQ(simulator->NextTsExcept({first}), 1'000'000'000);
    source.Arm(7);
    EXPECT_EQ(simulator->NextTsExcept({first, second}), 7);
    Simulator::Stop(Picoseconds(10));
    Simulator::Run();
    EXPECT_EQ(simulator->NextTsExcept({second}), std::numeric_limits<int64_t>::max());
}

TEST_P(SimulatorImplTest, EventsAreCounted)
{
    CallingSource source(0, [](int64_t) {});
    source.Arm(1);
    Simulator::Schedule(Picoseconds(2), Note("event"));
    Simulator::Run();
    EXPECT_EQ(Simulator::GetEventCount(), 2U);
}

} // namespace
} // namespace ns3
