/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "journal-replay.h"

#include "switch-models/software/journal.hpp"

#include "hw/cluster/training/verification_error.hpp"
#include "hw/fields/input_error.hpp"
#include "ns3/ina-cluster-run.h"
#include "ns3/ina-own-simulator.h"
#include "scenarios/resolve/sizes.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <fstream>
#include <utility>
#include <variant>

namespace ns3
{

using namespace ina::scenarios;

namespace
{

/// A simulated switch, with those of its decisions that have not been compared with the journal
/// yet.
class SimulatedSwitch : public ina::programs::AggregatorObserver
{
  public:
    SimulatedSwitch(ina::programs::SwitchProgram& program, ina::wire::Format format) :
        m_program(program), m_format(format)
    {
        m_program.set_observer(this);
    }

    ~SimulatedSwitch() override
    {
        m_program.set_observer(nullptr);
    }

    SimulatedSwitch(const SimulatedSwitch&) = delete;
    SimulatedSwitch& operator=(const SimulatedSwitch&) = delete;

    void
    Process(ina::Frame&& frame, ina::Time now)
    {
        const ina::rmt::Verdict::Exit exit = m_program.process(frame, now).exit;
        if (exit != ina::rmt::Verdict::Exit::drop)
        {
            Depart(std::move(frame), exit);
        }
        SendOwn(now);
    }

    void
    Expire(ina::Time now)
    {
        m_program.expire(now);
        SendOwn(now);
    }

    void
    aggregator_event(ina::programs::AggregatorEvent event,
                     ina::JobId job,
                     ina::Psn psn,
                     std::uint32_t aggregator) override
    {
        m_lines.push_back(ina::software::line_of({event, job, psn, aggregator}));
    }

    /// Removes and returns the next decision. Returns a description for error messages if there is
    /// none.
    std::string
    Take()
    {
        if (m_lines.empty())
        {
            return "nothing more";
        }
        std::string line = std::move(m_lines.front());
        m_lines.pop_front();
        return line;
    }

    bool
    SaidAll() const
    {
        return m_lines.empty();
    }

  private:
    void
    Depart(ina::Frame&& frame, ina::rmt::Verdict::Exit exit)
    {
        m_lines.push_back(
            ina::software::line_of(m_format, ina::software::Departure{exit, std::move(frame)}));
    }

    void
    SendOwn(ina::Time now)
    {
        for (;;)
        {
            ina::Frame frame;
            const ina::rmt::Verdict::Exit exit = m_program.next(frame, now).exit;
            if (exit == ina::rmt::Verdict::Exit::drop)
            {
                return;
            }
            Depart(std::move(frame), exit);
        }
    }

    ina::programs::SwitchProgram& m_program;
    ina::wire::Format m_format;
    std::deque<std::string> m_lines;
};

class JournalReader
{
  public:
    explicit JournalReader(const std::string& path) : m_path(path), m_file(path)
    {
        if (!m_file || m_file.peek() == std::ifstream::traits_type::eof())
        {
            throw InputError(path,
                             "",
                             m_file.is_open() ? "found no journal, or an empty one"
                                              : std::strerror(errno));
        }
    }

    bool
    Next(std::string& line)
    {
        ++m_number;
        return static_cast<bool>(std::getline(m_file, line));
    }

    std::string
    Place() const
    {
        return fmt::format("line {}", m_number);
    }

    [[noreturn]] void
    Differ(const std::string& found, const std::string& simulated) const
    {
        throw ina::cluster::VerificationError(
            fmt::format("{}: {}: the testbed's switch: {}; the simulator's: {}",
                        m_path,
                        Place(),
                        found,
                        simulated));
    }

    [[noreturn]] void
    Refuse() const
    {
        throw InputError(m_path,
                         Place(),
                         "found a line that is not of a journal of the scenario's system");
    }

  private:
    std::string m_path;
    std::ifstream m_file;
    std::uint64_t m_number{0};
};

} // namespace

Replayed
Replay(Scenario scenario, std::uint32_t rack, const std::string& journal)
{
    scenario.payload = Payload::values; // like a testbed, whatever the scenario says
    const InaOwnSimulator simulator(scenario);
    InaClusterRun run(scenario);
    InaCluster& cluster = run.Build();
    const ina::wire::Format format = ina::cluster::traits_of(scenario.system).format;
    SimulatedSwitch simulated(cluster.switches[rack]->GetProgram(), format);
    JournalReader reader(journal);
    Replayed replayed;
    for (std::string line; reader.Next(line);)
    {
        auto entry = ina::software::entry_of(line, format, *cluster.pool);
        if (!entry)
        {
            reader.Refuse();
        }
        auto* const arrival = std::get_if<ina::software::Arrival>(&*entry);
        const auto* const expiry = std::get_if<ina::software::Expiry>(&*entry);
        if (arrival == nullptr && expiry == nullptr)
        {
            if (const std::string its = simulated.Take(); its != line)
            {
                reader.Differ(line, its);
            }
            ++(std::holds_alternative<ina::software::Decision>(*entry) ? replayed.decisions
                                                                       : replayed.departures);
            continue;
        }
        if (!simulated.SaidAll())
        {
            reader.Differ("nothing more", simulated.Take());
        }
        if (expiry != nullptr)
        {
            simulated.Expire(expiry->at);
            continue;
        }
        simulated.Process(std::move(arrival->frame), arrival->at);
        ++replayed.arrivals;
    }
    if (!simulated.SaidAll())
    {
        reader.Differ("nothing more", simulated.Take());
    }
    return replayed;
}

} // namespace ns3
