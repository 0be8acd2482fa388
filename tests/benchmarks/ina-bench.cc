/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * Measures the simulator against stock ns-3 in one run, alternating: DSA's 8 jobs of 8 workers with
 * the whole protocol on, and as many packets over the same star of stock devices (stock-star.h).
 * Prints CPU nanoseconds per packet-hop and the ratios; each measurement runs in a process of its
 * own.
 */
#include "stock-star.h"

#include "hw/files/requested_file.hpp"
#include "hw/files/standard_output.hpp"
#include "hw/files/whole_file.hpp"

#include "hw/fields/strict_json.hpp"
#include "ns3/ina-cluster-run.h"
#include "ns3/nstime.h"
#include "scenarios/reader/experiment.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace
{

constexpr int STATUS_TROUBLE = 1;
constexpr int STATUS_USAGE = 2;
const char* const WRITER = "ina bench --json";
const char* const SCENARIO = INA_SOURCE_DIR "/tests/benchmarks/dsa-8x8.json";

constexpr uint32_t JOBS = 8;
constexpr uint32_t WORKERS = 8;
constexpr uint64_t HOPS_PER_FRAGMENT = 2;
constexpr double NS_PER_S = 1e9;
constexpr double MB_PER_KIB = 1.024e-3;

struct Measurement
{
    uint64_t packetHops;
    double cpuSeconds;
    double peakMegabytes;

    double
    NsPerHop() const
    {
        return cpuSeconds * NS_PER_S / static_cast<double>(packetHops);
    }
};

/// Runs `measure` in a process of its own: no run finds the caches and heaps of another.
Measurement
Isolated(const std::function<Measurement()>& measure)
{
    int ends[2];
    if (pipe(ends) != 0)
    {
        throw std::runtime_error("no pipe");
    }
    const pid_t child = fork();
    if (child == 0)
    {
        Measurement result = measure();
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        result.peakMegabytes = static_cast<double>(usage.ru_maxrss) * MB_PER_KIB;
        const bool written = write(ends[1], &result, sizeof result) == sizeof result;
        _exit(written ? 0 : 1);
    }
    close(ends[1]);
    Measurement result{};
    const bool whole = read(ends[0], &result, sizeof result) == sizeof result;
    close(ends[0]);
    waitpid(child, nullptr, 0);
    if (!whole)
    {
        throw std::runtime_error("a measured run failed");
    }
    return result;
}

Measurement
MeasureIna(const std::string& scenario, const std::string& payload)
{
    return Isolated(
        [&]
        {
            const ina::scenarios::Experiment experiment =
                ina::scenarios::read_experiment(scenario, {"/payload=" + payload, "/seeds=1"});
            const ns3::InaRunResult result =
                ns3::InaClusterRun(experiment.points.at(0).with_seed()).Run();
            return Measurement{result.packetHops, result.cpuSeconds, 0};
        });
}

Measurement
MeasureStock(uint64_t packetHops, bool values)
{
    return Isolated(
        [&]
        {
            ns3::Time::SetResolution(ns3::Time::PS);
            ns3::StockStarConfig config;
            config.jobs = JOBS;
            config.workers = WORKERS;
            config.fragments =
                static_cast<uint32_t>(packetHops / (HOPS_PER_FRAGMENT * JOBS * WORKERS));
            config.values = values;
            const ns3::StockStarResult result = ns3::RunStockStar(config);
            return Measurement{result.packetHops, result.cpuSeconds, 0};
        });
}

template <typename... Values>
void
Print(fmt::format_string<Values...> format, Values&&... values)
{
    ina::files::print(fmt::format(format, std::forward<Values>(values)...));
}

double
Median(std::vector<double> samples)
{
    std::sort(samples.begin(), samples.end());
    return samples[samples.size() / 2];
}

/// The rounds of one design.
struct Series
{
    std::string name;
    std::vector<Measurement> rounds;

    double
    NsPerHop() const
    {
        std::vector<double> samples;
        for (const Measurement& round : rounds)
        {
            samples.push_back(round.NsPerHop());
        }
        return Median(samples);
    }

    double
    PeakMegabytes() const
    {
        double peak = 0;
        for (const Measurement& round : rounds)
        {
            peak = std::max(peak, round.peakMegabytes);
        }
        return peak;
    }
};

/// The median of the ratios round by round: a machine that slows down slows both.
double
Ratio(const Series& slow, const Series& fast)
{
    std::vector<double> ratios;
    for (std::size_t round = 0; round < slow.rounds.size(); ++round)
    {
        ratios.push_back(slow.rounds[round].NsPerHop() / fast.rounds[round].NsPerHop());
    }
    return Median(ratios);
}

ina::scenarios::Json
to_json(const Series& series)
{
    ina::scenarios::Json json;
    json["name"] = series.name;
    json["ns_per_packet_hop"] = series.NsPerHop();
    json["packet_hops"] = series.rounds.front().packetHops;
    json["peak_resident_mb"] = series.PeakMegabytes();
    return json;
}

void
Bench(const std::string& scenario, unsigned rounds, const std::string& jsonFile)
{
    const ina::files::RequestedFile file("--json", jsonFile, ina::files::json_mark(WRITER));
    Series inaValues{"ina, DSA, values and verification", {}};
    Series inaNone{"ina, DSA, payload none", {}};
    Series stockValues{"stock ns-3, 62 values added", {}};
    Series stockNone{"stock ns-3, no values", {}};
    for (unsigned round = 0; round < rounds; ++round)
    {
        inaValues.rounds.push_back(MeasureIna(scenario, "values"));
        const uint64_t hops = inaValues.rounds.front().packetHops;
        stockValues.rounds.push_back(MeasureStock(hops, true));
        inaNone.rounds.push_back(MeasureIna(scenario, "none"));
        stockNone.rounds.push_back(MeasureStock(hops, false));
    }
    Print("{:<28}  {:>10}  {:>12}  {:>9}\n", "", "ns per hop", "packet-hops", "peak MB");
    ina::scenarios::Json json;
    json["written_by"] = WRITER;
    json["rounds"] = rounds;
    json["series"] = ina::scenarios::Json::array();
    for (const Series* series : {&inaValues, &stockValues, &inaNone, &stockNone})
    {
        Print("{:<28}  {:>10.1f}  {:>12}  {:>9.0f}\n",
              series->name,
              series->NsPerHop(),
              series->rounds.front().packetHops,
              series->PeakMegabytes());
        json["series"].push_back(to_json(*series));
    }
    json["ratio_with_values"] = Ratio(stockValues, inaValues);
    json["ratio_without_values"] = Ratio(stockNone, inaNone);
    Print("stock / ina, with values     {:.1f}\nstock / ina, without values  {:.1f}\n",
          json["ratio_with_values"].get<double>(),
          json["ratio_without_values"].get<double>());
    file.write(json.dump(2) + '\n');
}

void
ParseAndRun(CLI::App& app, int argc, char** argv, const std::function<void()>& run)
{
    try
    {
        app.parse(argc, argv);
    }
    catch (const CLI::ParseError& error)
    {
        if (error.get_exit_code() != 0)
        {
            throw;
        }
        app.exit(error); // --help
        return;
    }
    run();
}

} // namespace

int
main(int argc, char** argv)
{
    ina::files::survive_broken_pipes();
    CLI::App app("Measures the simulator's speed against stock ns-3 devices", "ina bench");
    unsigned rounds = 3;
    std::string json;
    app.add_option("--rounds", rounds, "alternating measurements of each (default: 3)")
        ->check(CLI::Range(1, 100));
    app.add_option("--json", json, "also write the figures to a file")->type_name("FILE");
    const auto endedBy = [](const std::exception& error, int status)
    {
        ina::files::report(fmt::format("ina: {}\n", ina::files::reason_of(error)));
        return status;
    };
    try
    {
        ParseAndRun(app, argc, argv, [&] { Bench(SCENARIO, rounds, json); });
        ina::files::flush_standard_output();
        return 0;
    }
    catch (const CLI::ParseError& error)
    {
        return endedBy(error, STATUS_USAGE);
    }
    catch (const ina::files::NotWritten& error)
    {
        return endedBy(error, STATUS_USAGE);
    }
    catch (const std::exception& error)
    {
        return endedBy(error, STATUS_TROUBLE);
    }
}
