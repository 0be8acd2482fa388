/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

// Random programs of events have the same order and times under InaSimulatorImpl and under ns-3's
// own DefaultSimulatorImpl. The clock after the last event may differ, because under
// DefaultSimulatorImpl the void event of a moved source still advances it.
#include "network-test-support.h"

#include "ns3/event-id.h"
#include "ns3/ina-event-source.h"

#include <memory>
#include <random>
#include <sstream>
#include <utility>

namespace ns3
{
namespace
{

constexpr uint32_t PROGRAMS = 400;
constexpr int ACTIONS = 2000; // per program
constexpr uint32_t SOURCES = 40;
constexpr uint32_t MAX_DELAY = 12; // few different times, to produce many ties

/** A program that decides at every event what to do next. All actions and observations are logged.
 */
class RandomProgram
{
  public:
    explicit RandomProgram(uint64_t seed) : m_random(seed)
    {
        for (uint32_t number = 0; number < SOURCES; ++number)
        {
            m_sources.push_back(std::make_unique<Source>(*this, number));
        }
        for (int i = 0; i < 5; ++i)
        {
            Act();
        }
    }

    std::vector<std::string>
    Run()
    {
        do
        {
            m_stopped = false;
            Simulator::Run();
        } while (m_stopped);
        m_actionsLeft = 0;
        m_sources.clear();
        Simulator::Destroy();
        return std::move(m_log);
    }

  private:
    class Source : public InaEventSource
    {
      public:
        Source(RandomProgram& program, uint32_t number) :
            InaEventSource(100 + number), m_program(program), m_number(number)
        {
        }

      private:
        void
        Fire(int64_t ts) override
        {
            EXPECT_EQ(ts, Simulator::Now().GetTimeStep());
            EXPECT_FALSE(IsArmed());
            m_program.m_firing = m_number;
            m_program.Happened("source", m_number);
            m_program.m_firing = SOURCES;
        }

        RandomProgram& m_program;
        uint32_t m_number;
    };

    uint32_t
    Draw(uint32_t end)
    {
        return static_cast<uint32_t>(m_random() % end);
    }

    template <typename... Parts>
    void
    Log(const Parts&... parts)
    {
        std::ostringstream line;
        line << Simulator::Now().GetTimeStep();
        ((line << ' ' << parts), ...);
        m_log.push_back(line.str());
    }

    void
    Happened(const char* what, uint32_t number)
    {
        Log(what, number, "in context", Simulator::GetContext());
        for (uint32_t actions = Draw(8); actions > 0; --actions)
        {
            Act();
        }
    }

    void
    Act()
    {
        if (m_actionsLeft == 0)
        {
            return;
        }
        --m_actionsLeft;
        const Time delay = Picoseconds(Draw(MAX_DELAY));
        const uint32_t number = m_next++;
        const auto event = [this, number] { Happened("event", number); };
        switch (Draw(16))
        {
        case 0:
        case 1:
        case 2:
            m_ids.push_back(Simulator::Schedule(delay, event));
            break;
        case 3:
            Simulator::ScheduleWithContext(Draw(5), delay, event);
            break;
        case 4:
            m_ids.push_back(Simulator::ScheduleNow(event));
            break;
        case 5:
            WithEvent([](const EventId& id) { Simulator::Cancel(id); });
            break;
        case 6:
            WithEvent([](const EventId& id) { Simulator::Remove(id); });
            break;
        case 7:
            WithEvent(
                [this](const EventId& id) {
                    Log("expired",
                        Simulator::IsExpired(id),
                        "left",
                        Simulator::GetDelayLeft(id).GetTimeStep());
                });
            break;
        case 8:
            m_ids.push_back(Simulator::ScheduleDestroy(
                [this, number] { m_log.push_back("destroyed " + std::to_string(number)); }));
            break;
        case 9:
            Stop();
            break;
        case 10:
            WithSource([](InaEventSource& source) { source.Disarm(); });
            break;
        case 11:
            Replace(Draw(SOURCES));
            break;
        default:
            WithSource([delay](InaEventSource& source)
                       { source.Arm((Simulator::Now() + delay).GetTimeStep()); });
            break;
        }
    }

    template <typename Function>
    void
    WithEvent(Function&& function)
    {
        if (!m_ids.empty())
        {
            function(m_ids[Draw(static_cast<uint32_t>(m_ids.size()))]);
        }
    }

    template <typename Function>
    void
    WithSource(Function&& function)
    {
        Source& source = *m_sources[Draw(SOURCES)];
        function(source);
        Log("armed", source.IsArmed());
    }

    void
    Stop()
    {
        if (Draw(4) == 0)
        {
            m_stopped = true;
            Simulator::Stop();
        }
    }

    /** Destroys a source, armed or not, and creates a new one. */
    void
    Replace(uint32_t number)
    {
        if (number != m_firing)
        {
            m_sources[number].reset();
            m_sources[number] = std::make_unique<Source>(*this, number);
        }
    }

    std::mt19937_64 m_random;
    int m_actionsLeft{ACTIONS};
    uint32_t m_next{0};
    uint32_t m_firing{SOURCES}; //!< none
    bool m_stopped{false};
    std::vector<EventId> m_ids;
    std::vector<std::unique_ptr<Source>> m_sources;
    std::vector<std::string> m_log;
};

std::vector<std::string>
RunProgram(const char* simulator, uint64_t seed)
{
    const FreshSimulator fresh(simulator);
    return RandomProgram(seed).Run();
}

TEST(EventOrder, RandomProgramsHappenAsUnderDefaultSimulatorImpl)
{
    std::size_t events = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; ++seed)
    {
        const auto ours = RunProgram(SIMULATORS[0], seed);
        const auto theirs = RunProgram(SIMULATORS[1], seed);
        const auto differ = std::mismatch(ours.begin(), ours.end(), theirs.begin(), theirs.end());
        ASSERT_TRUE(differ.first == ours.end() && differ.second == theirs.end())
            << "seed " << seed << ", line " << differ.first - ours.begin() << ": "
            << (differ.first == ours.end() ? "nothing" : *differ.first) << " instead of "
            << (differ.second == theirs.end() ? "nothing" : *differ.second);
        events += ours.size();
    }
    EXPECT_GT(events, std::size_t{PROGRAMS} * 100) << "the programs end too early to show much";
}

} // namespace
} // namespace ns3
