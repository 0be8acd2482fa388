/* SPDX-License-Identifier: GPL-2.0-only */
#include "journal-replay.h"

#include "switch-models/software/journal.hpp"

#include "ns3/cluster-run.h"
#include "ns3/proof-violation.h"
#include "ns3/scenario-error.h"
#include "ns3/scenario-sizes.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <fstream>
#include <utility>

namespace ns3
{

namespace
{

/// The simulator's decisions that have not been compared yet.
class Decisions : public ina::programs::AggregatorObserver
{
  public:
    void
    aggregator_event(ina::programs::AggregatorEvent event,
                     ina::JobId job,
                     ina::Psn psn,
                     std::uint32_t aggregator) override
    {
        m_lines.push_back(ina::software::line_of(event, job, psn, aggregator));
    }

    /// The next one; what a message says of it if there is none.
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
    Empty() const
    {
        return m_lines.empty();
    }

  private:
    std::deque<std::string> m_lines;
};

class JournalReader
{
  public:
    explicit JournalReader(const std::string& path) : m_path(path), m_file(path)
    {
        if (!m_file || m_file.peek() == std::ifstream::traits_type::eof())
        {
            throw ScenarioError(path,
                                "",
                                m_file.is_open() ? "no journal, or an empty one"
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
        throw ProofViolation(fmt::format("{}: {}: the testbed's switch: {}; the simulator's: {}",
                                         m_path,
                                         Place(),
                                         found,
                                         simulated));
    }

    [[noreturn]] void
    Refuse() const
    {
        throw ScenarioError(m_path, Place(), "no arrival of the scenario's system");
    }

  private:
    std::string m_path;
    std::ifstream m_file;
    std::uint64_t m_number{0};
};

} // namespace

Replayed
Replay(const ExperimentPoint& point, const std::string& journal)
{
    Scenario scenario = point.WithSeed();
    scenario.payload = Payload::values; // as on a testbed, whatever is simulated
    ClusterRun run(scenario);
    Cluster& cluster = run.Build();
    ina::programs::SwitchProgram& program = cluster.switches.back()->Program();
    Decisions decisions;
    program.set_observer(&decisions);
    JournalReader reader(journal);
    Replayed replayed;
    for (std::string line; reader.Next(line);)
    {
        if (!ina::software::is_arrival(line))
        {
            ++replayed.decisions;
            if (const std::string simulated = decisions.Take(); simulated != line)
            {
                reader.Differ(line, simulated);
            }
            continue;
        }
        if (!decisions.Empty())
        {
            reader.Differ("nothing more", decisions.Take());
        }
        auto arrival = ina::software::arrival_of(line, ProtocolOf(scenario), *cluster.pool);
        if (!arrival)
        {
            reader.Refuse();
        }
        program.process(arrival->frame, arrival->at);
        ++replayed.arrivals;
    }
    if (!decisions.Empty())
    {
        reader.Differ("nothing more", decisions.Take());
    }
    program.set_observer(nullptr);
    return replayed;
}

} // namespace ns3
