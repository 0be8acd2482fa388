/* SPDX-License-Identifier: GPL-2.0-only */
#include "scale-bench.h"

#include "measurement.h"

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

/// Of jobs of that many workers each, packed into racks, beside the parameter servers' one.
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

/// The same cluster for each number of workers.
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

void
Print(const Row& row)
{
    const double growth = RatioOf(row.of.back(), row.of.front());
    for (std::size_t i = 0; i < WORKERS.size(); ++i)
    {
        const Series& series = row.of[i];
        const double perSecond = 1e3 / series.Nanoseconds();
        const std::string ratio = i + 1 == WORKERS.size() ? fmt::format("{:.2f}", growth) : "";
        ina::files::print(
            fmt::format("{:<8}  {:>7}  {:>6}  {:>12}  {:>10.1f}  {:>10.2f}  {:>7.0f}  {:>6}\n",
                        row.system,
                        WORKERS[i],
                        row.WorkersOfAJob(WORKERS[i]),
                        series.rounds.front().packetHops,
                        series.Nanoseconds(),
                        perSecond,
                        series.PeakMegabytes(),
                        ratio));
    }
    ina::files::flush_standard_output();
}

} // namespace

ina::fields::Json
BenchScale(unsigned rounds)
{
    ina::files::print(fmt::format("{:<8}  {:>7}  {:>6}  {:>12}  {:>10}  {:>10}  {:>7}  {:>6}\n",
                                  "system",
                                  "workers",
                                  "a job",
                                  "packet-hops",
                                  "ns per hop",
                                  "M hops/s",
                                  "peak MB",
                                  "growth"));
    ina::fields::Json json;
    json["series"] = ina::fields::Json::array();
    for (const bool oneJob : {false, true})
    {
        for (const std::string_view system : SYSTEMS)
        {
            Row row{system, oneJob, {}};
            Measure(row, rounds);
            Print(row);
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
