/* SPDX-License-Identifier: GPL-2.0-only */
#include "measurement.h"

#include "ns3/ina-cluster-run.h"
#include "ns3/ina-own-simulator.h"
#include "scenarios/reader/experiment.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

namespace
{

constexpr double NS_PER_S = 1e9;
constexpr double MB_PER_KIB = 1.024e-3;

double
Median(std::vector<double> samples)
{
    std::sort(samples.begin(), samples.end());
    return samples[samples.size() / 2];
}

Measurement
RunScenario(const std::string& file, const std::vector<std::string>& changes)
{
    const ina::scenarios::Experiment experiment = ina::scenarios::read_experiment(file, changes);
    const ina::scenarios::Scenario scenario = experiment.points.at(0).with_seed();
    const ns3::InaOwnSimulator simulator(scenario);
    const ns3::InaRunResult result = ns3::InaClusterRun(scenario).Run();
    return {result.packetHops, result.cpuSeconds, 0};
}

} // namespace

double
Measurement::Nanoseconds() const
{
    return cpuSeconds * NS_PER_S / static_cast<double>(packetHops);
}

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
MeasureScenario(const std::string& file, std::vector<std::string> changes)
{
    changes.emplace_back("/seeds=1");
    return Isolated([&] { return RunScenario(file, changes); });
}

Measurement
MeasureWholeScenario(const std::string& file, std::vector<std::string> changes)
{
    changes.emplace_back("/seeds=1");
    return Isolated(
        [&]
        {
            Measurement whole = RunScenario(file, changes);
            rusage usage{};
            getrusage(RUSAGE_SELF, &usage);
            whole.cpuSeconds = ProcessorSeconds(usage);
            return whole;
        });
}

double
ProcessorSeconds(const rusage& usage)
{
    const auto seconds = [](const timeval& time)
    { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6; };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double
Series::Nanoseconds() const
{
    std::vector<double> samples;
    for (const Measurement& round : rounds)
    {
        samples.push_back(round.Nanoseconds());
    }
    return Median(samples);
}

double
Series::Seconds() const
{
    std::vector<double> samples;
    for (const Measurement& round : rounds)
    {
        samples.push_back(round.cpuSeconds);
    }
    return Median(samples);
}

double
Series::PeakMegabytes() const
{
    double peak = 0;
    for (const Measurement& round : rounds)
    {
        peak = std::max(peak, round.peakMegabytes);
    }
    return peak;
}

ina::fields::Json
Series::ToJson() const
{
    ina::fields::Json json;
    json["name"] = name;
    json["ns_per_packet_hop"] = Nanoseconds();
    json["packet_hops"] = rounds.front().packetHops;
    json["peak_resident_mb"] = PeakMegabytes();
    return json;
}

double
RatioOf(const Series& slow, const Series& fast)
{
    std::vector<double> ratios;
    for (std::size_t round = 0; round < slow.rounds.size(); ++round)
    {
        ratios.push_back(slow.rounds[round].Nanoseconds() / fast.rounds[round].Nanoseconds());
    }
    return Median(ratios);
}
