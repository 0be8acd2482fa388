/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "ina-findings.h"

#include "hw/fields/counted.hpp"
#include "hw/fields/quantity.hpp"
#include "hw/protocol/units.hpp"
#include "scenarios/resolve/link_names.hpp"
#include "scenarios/resolve/network.hpp"
#include "scenarios/resolve/placement.hpp"
#include "scenarios/resolve/sizes.hpp"

#include "ns3/ina-protocol-time.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace ns3
{

using namespace ina::scenarios;

using ina::cluster::JctBreakdown;
using ina::cluster::RootChoice;
using ina::cluster::TimeoutFloor;
using ina::results::JobRow;
using ina::results::LinkRow;
using Thresholds = InaFindingThresholds;

namespace
{

/// Share of a part in the time of a job's iterations.
struct JobShare
{
    std::size_t job;
    double share;
};

/// Shares of all jobs that ended an iteration.
std::vector<JobShare>
SharesOf(const InaRunResult& result, int64_t JctBreakdown::*part)
{
    std::vector<JobShare> shares;
    for (std::size_t job = 0; job < result.breakdowns.size(); ++job)
    {
        const JctBreakdown& breakdown = result.breakdowns[job];
        if (const int64_t all = breakdown.sum(); all != 0)
        {
            shares.push_back(
                {job, static_cast<double>(breakdown.*part) / static_cast<double>(all)});
        }
    }
    return shares;
}

/// The job with the highest share, if it exceeds `threshold`.
std::optional<JobShare>
MostOf(const InaRunResult& result, int64_t JctBreakdown::*part, double threshold)
{
    const auto shares = SharesOf(result, part);
    const auto most = std::ranges::max_element(shares, {}, &JobShare::share);
    return most == shares.end() || most->share <= threshold ? std::nullopt : std::optional(*most);
}

std::string
Percent(double share)
{
    return fmt::format("{:.3g} %", 100 * share);
}

std::string
WaitingText(const InaRunResult& result, const JobShare& most, const std::string& waitsFor)
{
    return fmt::format("{} of the JCT{} is waiting for {}",
                       Percent(most.share),
                       result.jobs.size() == 1 ? "" : fmt::format(" of job {}", most.job),
                       waitsFor);
}

/// The timeout floor that limited a run, if this time-out may have expired. If frames were lost,
/// the floor is that of the workers, which retransmit. Otherwise the floor is that of the servers,
/// which send reminders.
std::optional<TimeoutFloor>
DecisiveFloor(const Scenario& scenario, const InaRunResult& result, bool lost)
{
    std::vector<TimeoutFloor> floors = scenario.hosts().timeout_floors();
    std::erase_if(floors,
                  [&](const TimeoutFloor& floor)
                  { return floor.time > InaToProtocol(result.simulatedTime); });
    if (floors.empty())
    {
        return std::nullopt;
    }
    return lost ? floors.back() : floors.front();
}

/// A timeout floor and its name.
class NamedFloor
{
  public:
    NamedFloor(const Resolved& resolved, const TimeoutFloor& floor) :
        m_resolved(resolved), m_system(resolved.scenario.hosts()), m_floor(floor)
    {
    }

    double
    RoundTrips() const
    {
        const ina::Time one = environment_of(m_resolved.scenario, m_resolved.network)
                                  .round_trips(1, m_system.frame_bytes());
        return static_cast<double>(m_floor.time.count()) / static_cast<double>(one.count());
    }

    bool
    IsLong() const
    {
        return RoundTrips() > Thresholds::ROUND_TRIPS;
    }

    std::string
    Key() const
    {
        return fmt::format("/{}/{}", m_system.traits().name, m_floor.key);
    }

    std::string
    Text() const
    {
        return fmt::format("{} {} is {:.0f} unloaded round trips",
                           m_floor.key,
                           format_time(m_floor.time.count()),
                           RoundTrips());
    }

    /// Appends the key to the text and, if the floor is long, its value in round trips.
    InaFinding
    Finding(const std::string& what, double amount, const std::string& text) const
    {
        std::string change = Key();
        if (IsLong() && !m_floor.adaptive.empty())
        {
            change += fmt::format("={}", m_floor.adaptive);
        }
        return {what,
                Key(),
                amount,
                fmt::format("{}: {}: {}", m_system.traits().title, text, change)};
    }

    /// Adds a mention of the floor to a text without one, if the floor is long.
    InaFinding
    FindingWithFloor(const std::string& what, double amount, const std::string& text) const
    {
        return Finding(what, amount, IsLong() ? fmt::format("{} ({})", text, Text()) : text);
    }

  private:
    const Resolved& m_resolved;
    const ina::cluster::System& m_system;
    TimeoutFloor m_floor;
};

/// Whether frames may have been lost: by faults, full buffers, slow hosts, or a receiver that was
/// down.
bool
MayHaveLostFrames(const Scenario& scenario, const InaRunResult& result)
{
    return !scenario.faults.nodes.empty() || result.framesWhileDown != 0 ||
           std::ranges::any_of(result.links,
                               [](const LinkRow& link) {
                                   return link.dropped.value_or(0) + link.lost.value_or(0) +
                                              link.corrupted.value_or(0) !=
                                          0;
                               });
}

uint64_t
PacketsResent(const InaRunResult& result)
{
    uint64_t resent = 0;
    for (const JobRow& job : result.jobs)
    {
        resent += job.retransmissions;
    }
    return resent;
}

std::optional<InaFinding>
FindResentWithoutLoss(const InaRunResult& result, const NamedFloor& floor)
{
    uint64_t sent = 0;
    for (const JobRow& job : result.jobs)
    {
        sent += job.packets_sent;
    }
    const double share =
        sent == 0 ? 0 : static_cast<double>(PacketsResent(result)) / static_cast<double>(sent);
    if (share <= Thresholds::RESENT)
    {
        return std::nullopt;
    }
    return floor.FindingWithFloor(
        "resent_without_loss",
        share,
        fmt::format("{} of the packets were retransmitted, although none was lost",
                    Percent(share)));
}

std::optional<InaFinding>
FindWaiting(const Scenario& scenario, const InaRunResult& result, const NamedFloor& floor)
{
    const auto most = MostOf(result, &JctBreakdown::recovery, Thresholds::WAITING);
    if (!most)
    {
        return std::nullopt;
    }
    const bool reminds = scenario.hosts().traits().has_reminders;
    const auto text = WaitingText(result, *most, reminds ? "reminders and time-outs" : "time-outs");
    return floor.FindingWithFloor("waiting", most->share, text);
}

/// Reports a long floor that no other finding mentions.
std::optional<InaFinding>
FindLongFloor(const InaRunResult& result, const NamedFloor& floor)
{
    if (PacketsResent(result) == 0 || !floor.IsLong())
    {
        return std::nullopt;
    }
    return floor.Finding("long_floor",
                         floor.RoundTrips(),
                         fmt::format("{}, and packets were retransmitted {}",
                                     floor.Text(),
                                     counted(PacketsResent(result), "time")));
}

void
AddTimeouts(const Resolved& resolved, const InaRunResult& result, std::vector<InaFinding>& findings)
{
    const Scenario& scenario = resolved.scenario;
    const bool lost = MayHaveLostFrames(scenario, result);
    const auto decisive = DecisiveFloor(scenario, result, lost);
    if (!decisive)
    {
        return;
    }
    const NamedFloor floor(resolved, *decisive);
    const auto resent = lost ? std::nullopt : FindResentWithoutLoss(result, floor);
    // Without losses and without servers, nothing waits for needless retransmissions.
    const bool waits = lost || scenario.hosts().traits().has_servers;
    const auto waiting = waits ? FindWaiting(scenario, result, floor) : std::nullopt;
    const auto alone = resent || waiting ? std::nullopt : FindLongFloor(result, floor);
    for (const auto& finding : {resent, waiting, alone})
    {
        if (finding)
        {
            findings.push_back(*finding);
        }
    }
}

/// Reports a part of the breakdown for the job with the highest share, if it exceeds its threshold.
void
AddWait(const Scenario& scenario,
        const InaRunResult& result,
        const std::string& what,
        int64_t JctBreakdown::*part,
        const std::string& waitsFor,
        const std::string& key,
        std::vector<InaFinding>& findings)
{
    if (const auto most = MostOf(result, part, Thresholds::MEMORY_OR_WINDOW))
    {
        findings.push_back({what,
                            key,
                            most->share,
                            fmt::format("{}: {}: {}",
                                        scenario.hosts().traits().title,
                                        WaitingText(result, *most, waitsFor),
                                        key)});
    }
}

/// The key that allows more packets in flight.
std::string
KeyOfWindow(const Scenario& scenario, const InaRunResult& result)
{
    const auto& traits = scenario.hosts().traits();
    if (traits.has_own_slots)
    {
        return fmt::format("/{}/congestion_control=false", traits.name);
    }
    // Three results out of order halve a window. Results from the server arrive late, and hence out
    // of order.
    const bool collides =
        std::ranges::any_of(result.jobs, [](const JobRow& job) { return job.fallbacks != 0; });
    if (collides)
    {
        return "/switch/memory_bytes";
    }
    const bool marks =
        std::ranges::any_of(result.links,
                            [](const LinkRow& link) { return link.marked.value_or(0) != 0; });
    if (marks)
    {
        return "/switch/ecn_threshold_bytes";
    }
    // This is a variable window that did not grow enough during the run.
    return fmt::format("/{}/{}", traits.name, scenario.hosts().initial_window_key());
}

/// Reports exhausted switch memory and windows that were cut or are too small.
void
AddMemoryAndWindows(const Scenario& scenario,
                    const InaRunResult& result,
                    std::vector<InaFinding>& findings)
{
    const ina::cluster::SystemTraits& traits = scenario.hosts().traits();
    AddWait(scenario,
            result,
            "memory",
            &JctBreakdown::slot_wait,
            traits.has_own_slots ? "slots" : "entries of its aggregator table",
            traits.has_own_slots ? fmt::format("/{}/slots", traits.name) : "/switch/memory_bytes",
            findings);
    AddWait(scenario,
            result,
            "window",
            &JctBreakdown::window_wait,
            "the window of packets in flight",
            KeyOfWindow(scenario, result),
            findings);
}

void
AddComputation(const Scenario& scenario,
               const InaRunResult& result,
               std::vector<InaFinding>& findings)
{
    const auto shares = SharesOf(result, &JctBreakdown::compute);
    const auto least = std::ranges::min_element(shares, {}, &JobShare::share);
    if (least == shares.end() || least->share <= Thresholds::COMPUTATION)
    {
        return;
    }
    const std::string key = "/jobs/profile";
    findings.push_back(
        {"computation",
         key,
         least->share,
         fmt::format(
             "{}: {} of the JCT is computation, so this run shows little about the network: {}",
             scenario.hosts().traits().title,
             Percent(least->share),
             key)});
}

/// The link with the highest value of a frame counter.
const LinkRow&
WorstLink(const InaRunResult& result, std::optional<uint64_t> LinkRow::*counter)
{
    return *std::ranges::max_element(result.links,
                                     {},
                                     [counter](const LinkRow& link)
                                     { return (link.*counter).value_or(0); });
}

/// Reports a frame counter of links, if not zero. `text`: what happened to the frames.
void
AddFrames(const Scenario& scenario,
          const InaRunResult& result,
          std::optional<uint64_t> LinkRow::*counter,
          const std::string& text,
          const std::string& key,
          std::vector<InaFinding>& findings)
{
    uint64_t all = 0;
    for (const LinkRow& link : result.links)
    {
        all += (link.*counter).value_or(0);
    }
    if (all == 0)
    {
        return;
    }
    const LinkRow& worst = WorstLink(result, counter);
    findings.push_back({"dropped",
                        key,
                        static_cast<double>(all),
                        fmt::format("{}: {} {}, {} of them on {}: {}",
                                    scenario.hosts().traits().title,
                                    counted(all, "frame"),
                                    text,
                                    (worst.*counter).value_or(0),
                                    worst.link,
                                    key)});
}

/// Frames lost to faults are not reported, since the scenario asks for these faults.
void
AddDropped(const Scenario& scenario, const InaRunResult& result, std::vector<InaFinding>& findings)
{
    AddFrames(scenario,
              result,
              &LinkRow::dropped,
              "found no room in the buffer of a switch",
              "/switch/buffer_bytes",
              findings);
    if (scenario.faults.links.empty() && scenario.faults.nodes.empty() && !result.links.empty())
    {
        const std::string& link = WorstLink(result, &LinkRow::lost).link;
        const bool isServer = link_matches("parameter_servers", link.substr(link.find('>') + 1));
        AddFrames(scenario,
                  result,
                  &LinkRow::lost,
                  "arrived too fast for a host to process",
                  isServer ? "/topology/server" : "/topology/host",
                  findings);
    }
}

/// Time that a link needs for all sums of a fragment that cross the link, relative to the time that
/// the slowest link of the job's workers needs for one sum. `workers`: hosts of the workers.
double
TimesOfALine(const Scenario& scenario,
             const Network& links,
             const InaSharedLink& shared,
             const std::vector<uint32_t>& workers)
{
    const uint32_t frameBytes = scenario.hosts().frame_bytes();
    double line = 0;
    for (const uint32_t host : workers)
    {
        line = std::max(line, links.hosts[host].frame_ps(frameBytes));
    }
    return shared.sums * links.trunks[shared.trunk].frame_ps(frameBytes) / line;
}

/// Share of the run's time in which a link is sending.
double
BusyShare(const InaRunResult& result, const NetworkLink& line, const std::string& name)
{
    const auto link = std::ranges::find(result.links, name, &LinkRow::link);
    if (link == result.links.end() || result.simulatedTime.IsZero())
    {
        return 0;
    }
    const double ps = static_cast<double>(link->bytes_sent) * ina::kBitsPerByte * ina::kPsPerS /
                      static_cast<double>(line.line.rate_bps);
    return ps / static_cast<double>(result.simulatedTime.GetPicoSeconds());
}

/// Key that a finding on a shared link names. With a root at the servers' leaf, results need no
/// path up. With any other root, fewer sums of workers share one link.
std::string
KeyOfSharedLink(const Scenario& scenario, const InaSharedLink& shared)
{
    if (scenario.topology.root == RootChoice::server_leaf)
    {
        return "/topology/root";
    }
    const bool isSumAndResult = shared.hasResult && shared.sums == 2;
    return isSumAndResult ? "/topology/root=server_leaf" : "/topology/links";
}

void
AddSharedLink(const Resolved& resolved,
              const InaRunResult& result,
              std::vector<InaFinding>& findings)
{
    if (result.sharedLinks.empty())
    {
        return;
    }
    const Scenario& scenario = resolved.scenario;
    const Network& links = resolved.network;
    const auto workers = worker_machines(scenario, links);
    const auto timesOf = [&](const InaSharedLink& shared)
    { return TimesOfALine(scenario, links, shared, workers[shared.job]); };
    const auto worst = std::ranges::max_element(result.sharedLinks, {}, timesOf);
    if (timesOf(*worst) <= Thresholds::SHARED_LINK ||
        BusyShare(result, links.trunks[worst->trunk], worst->name) <= Thresholds::BUSY_LINK)
    {
        return;
    }
    const std::string key = KeyOfSharedLink(scenario, *worst);
    findings.push_back({"shared_link",
                        key,
                        timesOf(*worst),
                        fmt::format("{}: {} carries {} sums of each fragment, which take {:.3g} "
                                    "times as long as one sum on a worker's line: {}",
                                    scenario.hosts().traits().title,
                                    worst->name,
                                    worst->sums,
                                    timesOf(*worst),
                                    key)});
}

void
AddFlows(const Scenario& scenario, const InaRunResult& result, std::vector<InaFinding>& findings)
{
    if (result.patternsWithoutAFlow == 0)
    {
        return;
    }
    const std::string key = "/traffic/until";
    findings.push_back(
        {"flows_not_started",
         key,
         static_cast<double>(result.patternsWithoutAFlow),
         fmt::format(
             "{} of {} elements of /traffic/flows started no flow before the run ended at {}: {}",
             result.patternsWithoutAFlow,
             scenario.traffic.flows.size(),
             format_time(result.simulatedTime.GetPicoSeconds()),
             key)});
}

} // namespace

std::vector<InaFinding>
InaFindingsOf(const Resolved& resolved, const InaRunResult& result)
{
    const Scenario& scenario = resolved.scenario;
    std::vector<InaFinding> findings;
    AddTimeouts(resolved, result, findings);
    AddMemoryAndWindows(scenario, result, findings);
    AddComputation(scenario, result, findings);
    AddDropped(scenario, result, findings);
    AddSharedLink(resolved, result, findings);
    AddFlows(scenario, result, findings);
    return findings;
}

} // namespace ns3
