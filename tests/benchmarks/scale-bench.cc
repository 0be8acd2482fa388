/* SPDX-License-Identifier: GPL-2.0-only */
#include "scale-bench.h"

#include "measurement.h"
#include "other-work.h"

#include "hw/files/standard_output.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace
{

const char* const SCENARIO = INA_SOURCE_DIR "/tests/benchmarks/scale.json";

constexpr std::array<std::string_view, 3> SYSTEMS{"switchml", "atp", "dsa"};
constexpr std::array<unsigned, 3> WORKERS{64, 256, 1024};
constexpr unsigned WORKERS_OF_A_RACK = 32;

// Limits for 1 024 workers.
constexpr double MOST_GROWTH = 1.6;
constexpr double MEGABYTES_BELOW = 1500;

/// Changes of the scenario for jobs with this number of workers, packed into racks, plus one rack
/// for the parameter servers.
std::vector<std::string>
Changes(std::string_view system, unsigned workers, unsigned workersOfAJob)
{
    const unsigned jobs = workers / workersOfAJob;
    return {fmt::format("/system={}", system),
            fmt::format("/topology/racks={}", workers / WORKERS_OF_A_RACK + 1),
            fmt::format("/topology/parameter_servers={}", jobs),
            fmt::format("/jobs/count={}", jobs),
            fmt::format("/jobs/workers={}", workersOfAJob)};
}

/// One cluster, measured with each number of workers.
struct Row
{
    std::string_view system;
    bool oneJob;
    std::array<Series, WORKERS.size()> of;

    unsigned
    WorkersOfAJob(unsigned workers) const
    {
        return oneJob ? workers : WORKERS_OF_A_RACK;
    }
};

void
Measure(Row& row, unsigned rounds)
{
    for (unsigned round = 0; round < rounds; ++round)
    {
        for (std::size_t i = 0; i < WORKERS.size(); ++i)
        {
            const unsigned workers = WORKERS[i];
            const unsigned ofAJob = row.WorkersOfAJob(workers);
            row.of[i].name =
                fmt::format("{}, {} workers in jobs of {}", row.system, workers, ofAJob);
            row.of[i].rounds.push_back(
                MeasureScenario(SCENARIO, Changes(row.system, workers, ofAJob)));
        }
    }
}

/// The growth, and whether both limits are met.
std::string
BesideFloors(const Row& row, const OtherWork& others)
{
    const double growth = RatioOf(row.of.back(), row.of.front());
    const double megabytes = row.of.back().PeakMegabytes();
    return fmt::format(
        "  {:>6.2f}  {}",
        growth,
        others.Verdict(growth <= MOST_GROWTH && megabytes < MEGABYTES_BELOW ? "kept" : "missed"));
}

void
Print(const Row& row, const OtherWork& others)
{
    for (std::size_t i = 0; i < WORKERS.size(); ++i)
    {
        const Series& series = row.of[i];
        const bool isLast = i + 1 == WORKERS.size();
        ina::files::print(
            fmt::format("{:<8}  {:>7}  {:>6}  {:>12}  {:>10.1f}  {:>10.2f}  {:>7.0f}{}\n",
                        row.system,
                        WORKERS[i],
                        row.WorkersOfAJob(WORKERS[i]),
                        series.rounds.front().packetHops,
                        series.Nanoseconds(),
                        1e3 / series.Nanoseconds(),
                        series.PeakMegabytes(),
                        isLast ? BesideFloors(row, others) : ""));
    }
    ina::files::flush_standard_output();
}

} // namespace

ina::fields::Json
BenchScale(unsigned rounds)
{
    ina::files::print(
        fmt::format("Floors at {} workers: growth of ns per hop since {} workers at most "
                    "{:.1f}, memory below {:.0f} MB\n"
                    "{:<8}  {:>7}  {:>6}  {:>12}  {:>10}  {:>10}  {:>7}  {:>6}  "
                    "{}\n",
                    WORKERS.back(),
                    WORKERS.front(),
                    MOST_GROWTH,
                    MEGABYTES_BELOW,
                    "system",
                    "workers",
                    "a job",
                    "packet-hops",
                    "ns per hop",
                    "M hops/s",
                    "peak MB",
                    "growth",
                    "floors"));
    ina::fields::Json json;
    json["floors"] = {{"growth_at_most", MOST_GROWTH}, {"peak_resident_mb_below", MEGABYTES_BELOW}};
    json["series"] = ina::fields::Json::array();
    for (const bool oneJob : {false, true})
    {
        for (const std::string_view system : SYSTEMS)
        {
            Row row{system, oneJob, {}};
            const OtherWork others;
            Measure(row, rounds);
            Print(row, others);
            for (const Series& series : row.of)
            {
                json["series"].push_back(series.ToJson());
            }
            json["growth"][fmt::format("{}, {}", system, oneJob ? "one job" : "jobs of 32")] =
                RatioOf(row.of.back(), row.of.front());
        }
    }
    return json;
}
