/*
 * Copyright (c) 2026 The INA Lab authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Author: The INA Lab authors
 */

#include "run-estimate.h"

#include "run-process.h"
#include "shared-array.h"

#include "hw/fields/counted.hpp"
#include "hw/fields/quantity.hpp"
#include "ns3/ina-cluster-run.h"
#include "ns3/ina-own-simulator.h"
#include "scenarios/reader/scenario_reader.hpp"
#include "scenarios/resolve/memory_estimate.hpp"
#include "scenarios/results/point_cells.hpp"
#include "scenarios/runs/machine_memory.hpp"

#include <fmt/format.h>

#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <map>
#include <optional>
#include <thread>

namespace ns3
{

using namespace ina::scenarios;

namespace
{

using Runs = std::vector<const ExperimentPoint*>;

// Processor seconds.
constexpr double SECONDS_OF_ALL = 30;
constexpr double MOST_SECONDS = 3; //!< per combination
constexpr double LEAST_SECONDS = 0.1;

/// Progress of a run, or the extrapolated total.
struct Taken
{
    double share{0}; //!< of the run
    double hops{0};
    double seconds{0}; //!< processor seconds
    double rows{0};    //!< rows of tables that grow with the number of events
};

/// The beginning of a run, measured by its own process.
struct Beginning
{
    Taken middle;
    Taken last;
    double bytesBefore{0}; //!< memory of the process before
    double peakBytes{0};
    double links{0};
};

/// Resources that a run needs on this machine.
struct Needs
{
    double hops{0};
    double seconds{0};
    double memoryBytes{0}; //!< peak
    double tableBytes{0};
    double otherBytes{0}; //!< bytes of files other than tables
};

double
Extrapolated(const Beginning& beginning, double Taken::*what)
{
    const Taken& last = beginning.last;
    const double perShare =
        (last.*what - beginning.middle.*what) / (last.share - beginning.middle.share);
    return last.*what + (1 - last.share) * perShare;
}

Taken
WholeOf(const Beginning& beginning)
{
    if (beginning.last.share >= 1)
    {
        return beginning.last;
    }
    return {1,
            Extrapolated(beginning, &Taken::hops),
            Extrapolated(beginning, &Taken::seconds),
            Extrapolated(beginning, &Taken::rows)};
}

/// Share of a run's fragments that are done; for a run without jobs, share of its time.
double
ShareOf(const InaRunProgress& progress, const Scenario& scenario)
{
    if (progress.fragmentsInAll == 0)
    {
        return static_cast<double>(progress.simulatedTime.GetPicoSeconds()) /
               static_cast<double>(scenario.traffic.until_ps.value_or(1));
    }
    return static_cast<double>(progress.fragmentsDone) /
           static_cast<double>(progress.fragmentsInAll);
}

Taken
TakenBy(const InaRunProgress& progress, const Scenario& scenario, double rows)
{
    return {ShareOf(progress, scenario),
            static_cast<double>(progress.packetHops),
            static_cast<double>(std::clock()) / CLOCKS_PER_SEC,
            rows};
}

/// Bytes of the run's tables, assuming rows of typical length.
double
TableBytes(const ExperimentPoint& run, const Taken& whole, double links)
{
    const Scenario& scenario = *run.combination;
    double rows = whole.rows + 2 * links + static_cast<double>(scenario.jobs.size());
    for (const JobScenario& job : scenario.jobs)
    {
        rows += job.iterations;
    }
    double rowBytes = 80;
    for (const auto& [column, cell] : ina::results::cells_of(run))
    {
        rowBytes += static_cast<double>(cell.size() + 1);
    }
    return rows * rowBytes;
}

/// Bytes of pcap files, assuming frames with gradients, and of two manifests with the scenario.
double
OtherBytes(const ExperimentPoint& run, const Taken& whole)
{
    constexpr double PCAP_HEADER_BYTES = 16;
    const Scenario& scenario = *run.combination;
    const double frameBytes = scenario.hosts().frame_bytes() + PCAP_HEADER_BYTES;
    return 2 * static_cast<double>(to_json(scenario).dump(2).size()) +
           (scenario.outputs.pcap ? whole.hops * frameBytes : 0);
}

/// Extrapolates a run's needs. Memory follows from the scenario instead, since runs touch most
/// memory only gradually.
Needs
NeedsOf(const ExperimentPoint& run, const Beginning& beginning)
{
    const Taken whole = WholeOf(beginning);
    const auto planned = static_cast<double>(estimate_memory(run.with_seed()).bytes);
    return {.hops = whole.hops,
            .seconds = whole.seconds,
            .memoryBytes = std::max(beginning.peakBytes, beginning.bytesBefore + planned),
            .tableBytes = TableBytes(run, whole, beginning.links),
            .otherBytes = OtherBytes(run, whole)};
}

/// Executed in the process of the run. Returns if the run ends within `seconds` of processor time.
void
Begin(const ExperimentPoint& run, double seconds, Beginning& beginning)
{
    double rows = 0;
    const auto stop = [&](const InaRunProgress& progress)
    {
        beginning.last = TakenBy(progress, *run.combination, rows);
        beginning.peakBytes = static_cast<double>(ina::runs::peak_resident_bytes());
        const bool isHalf = beginning.last.seconds >= seconds / 2 && beginning.last.share > 0;
        if (beginning.middle.share == 0 && isHalf)
        {
            beginning.middle = beginning.last;
        }
        const bool isLater = beginning.last.share > beginning.middle.share;
        if (isHalf && isLater && beginning.last.seconds >= seconds)
        {
            std::_Exit(0);
        }
    };
    beginning.bytesBefore = static_cast<double>(ina::runs::peak_resident_bytes());
    const Scenario scenario = run.with_seed();
    const InaOwnSimulator simulator(scenario);
    InaClusterRun cluster(scenario,
                          {.progress = stop,
                           .sample = [&rows](const ina::results::SwitchRow&) { ++rows; },
                           .linkSample = [&rows](const ina::results::LinkSeriesRow&) { ++rows; },
                           .iteration = [](const ina::results::IterationRow&) {}});
    beginning.links = static_cast<double>(cluster.Build().links.size());
    cluster.Run();
    beginning.last.share = 1; // also if jobs were killed
}

/// Estimates each run. Empty for a run that failed.
std::vector<std::optional<Needs>>
EstimateEach(const Runs& runs, unsigned processes)
{
    const double seconds =
        std::clamp(SECONDS_OF_ALL / static_cast<double>(runs.size()), LEAST_SECONDS, MOST_SECONDS);
    SharedArray<Beginning> beginnings(runs.size());
    std::vector<std::optional<Needs>> estimates(runs.size());
    std::map<pid_t, std::size_t> children;
    std::size_t next = 0;
    while (next < runs.size() || !children.empty())
    {
        while (next < runs.size() && children.size() < processes)
        {
            const auto begin = [&, next] { Begin(*runs[next], seconds, beginnings[next]); };
            children.emplace(StartRunProcess(*runs[next], begin), next);
            ++next;
        }
        int status = 0;
        const auto ended = children.extract(waitpid(-1, &status, 0));
        const std::size_t index = ended.mapped();
        if (ExitStatusOf(*runs[index], status) == 0)
        {
            estimates[index] = NeedsOf(*runs[index], beginnings[index]);
        }
    }
    return estimates;
}

/// The runs with distinct scenarios. All seeds of a combination share one.
struct Combinations
{
    Runs first;                                   //!< run of each combination with the first seed
    std::map<const Scenario*, std::size_t> index; //!< index in `first`
};

Combinations
CombinationsOf(const Runs& runs)
{
    Combinations combinations;
    for (const ExperimentPoint* run : runs)
    {
        if (combinations.index.try_emplace(run->combination.get(), combinations.first.size())
                .second)
        {
            combinations.first.push_back(run);
        }
    }
    return combinations;
}

/// Time until all runs are finished if they start in this order, with at most `atATime` in
/// parallel.
double
TimeOfAll(const std::vector<double>& seconds, unsigned atATime)
{
    std::vector<double> ends(atATime);
    for (const double one : seconds)
    {
        *std::ranges::min_element(ends) += one;
    }
    return std::ranges::max(ends);
}

/// Formats a number with three digits and without an exponent.
std::string
Rounded(double number)
{
    constexpr double FOUR_DIGITS = 999.5;
    if (number < FOUR_DIGITS)
    {
        return fmt::format("{:.3g}", number);
    }
    const double unit = std::pow(10, std::floor(std::log10(number)) - 2);
    return fmt::format("{:.0f}", std::round(number / unit) * unit);
}

std::string
Duration(double seconds)
{
    constexpr double MINUTE = 60;
    constexpr double HOUR = 60 * MINUTE;
    if (seconds < 2 * MINUTE)
    {
        return seconds < 10 ? fmt::format("{:.2g} s", seconds) : fmt::format("{:.0f} s", seconds);
    }
    return seconds < 2 * HOUR ? fmt::format("{:.0f} min", seconds / MINUTE)
                              : fmt::format("{:.1f} h", seconds / HOUR);
}

} // namespace

std::string
EstimateRuns(const std::string& name, const Runs& runs, unsigned processes)
{
    const unsigned atATime = std::min({processes,
                                       std::max(std::thread::hardware_concurrency(), 1U),
                                       ina::runs::runs_in_memory(runs)});
    const Combinations combinations = CombinationsOf(runs);
    const std::vector<std::optional<Needs>> estimates = EstimateEach(combinations.first, atATime);
    // the experiment's folder repeats the rows of all runs
    const double copies = runs.size() == 1 ? 1 : 2;
    Needs all;
    std::vector<double> seconds;
    std::size_t failed = 0;
    bool hasTraffic = false;
    for (const ExperimentPoint* run : runs)
    {
        const auto& estimate = estimates[combinations.index.at(run->combination.get())];
        if (!estimate)
        {
            ++failed;
            continue;
        }
        all.hops += estimate->hops;
        all.memoryBytes = std::max(all.memoryBytes, estimate->memoryBytes);
        all.tableBytes += copies * estimate->tableBytes;
        all.otherBytes += estimate->otherBytes;
        seconds.push_back(estimate->seconds);
        hasTraffic |= !run->combination->traffic.flows.empty();
    }
    constexpr double MILLION = 1e6;
    return fmt::format(
        "{}: {}, {} million packet-hops, up to {} MB of memory at a time "
        "each, {} MB of disk, about {} with {} at a time{}{}\n",
        name,
        counted(runs.size(), "run"),
        Rounded(all.hops / MILLION),
        Rounded(all.memoryBytes / MILLION),
        Rounded((all.tableBytes + all.otherBytes) / MILLION),
        Duration(TimeOfAll(seconds, atATime)),
        atATime,
        hasTraffic ? "; or more, since other traffic grows after the beginning of a run" : "",
        failed == 0 ? "" : fmt::format("; without {} that failed", counted(failed, "run")));
}

} // namespace ns3
