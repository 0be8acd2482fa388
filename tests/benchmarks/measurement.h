/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "hw/fields/strict_json.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// What one run cost.
struct Measurement
{
    uint64_t packetHops;
    double cpuSeconds;
    double peakMegabytes; //!< resident; Isolated() fills it in

    /// Per packet-hop.
    double Nanoseconds() const;
};

/// Runs `measure` in a process of its own: no run finds the caches and heaps of another. Throws
/// std::runtime_error if it fails.
Measurement Isolated(const std::function<Measurement()>& measure);

/// One run of a scenario file, with changes as --set has them.
Measurement MeasureScenario(const std::string& file, std::vector<std::string> changes);

/// The rounds of one measurement.
struct Series
{
    std::string name;
    std::vector<Measurement> rounds;

    /// Per packet-hop, the median.
    double Nanoseconds() const;
    /// Of the round that took most.
    double PeakMegabytes() const;
    ina::fields::Json ToJson() const;
};

/// By how much one takes longer for a packet-hop than the other: the median of the ratios round by
/// round, since a machine that slows down slows both.
double RatioOf(const Series& slow, const Series& fast);
