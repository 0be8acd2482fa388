/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "hw/fields/strict_json.hpp"

#include <sys/resource.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Cost of one run.
struct Measurement
{
    uint64_t packetHops;
    double cpuSeconds;
    double peakMegabytes; //!< resident memory; Isolated() fills it in

    /// CPU time per packet-hop.
    double Nanoseconds() const;
};

/// Runs `measure` in its own process, so that it does not inherit the heap or caches of other runs.
/// Throws std::runtime_error if it fails.
Measurement Isolated(const std::function<Measurement()>& measure);

/// Runs a scenario file once, with changes in the syntax of --set.
Measurement MeasureScenario(const std::string& file, std::vector<std::string> changes);

/// Processor time in user and kernel mode.
double ProcessorSeconds(const rusage& usage);

/// The same with the processor time of the whole process, including the reading of the file.
Measurement MeasureWholeScenario(const std::string& file, std::vector<std::string> changes);

/// All rounds of one measurement.
struct Series
{
    std::string name;
    std::vector<Measurement> rounds;

    /// Median CPU time per packet-hop.
    double Nanoseconds() const;
    /// Median CPU time.
    double Seconds() const;
    /// Peak memory of the largest round.
    double PeakMegabytes() const;
    ina::fields::Json ToJson() const;
};

/// Ratio of the times per packet-hop: the median over the rounds of the ratio in each round,
/// because a machine that slows down slows both runs of a round.
double RatioOf(const Series& slow, const Series& fast);
