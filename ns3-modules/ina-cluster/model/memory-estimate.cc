/* SPDX-License-Identifier: GPL-2.0-only */
#include "memory-estimate.h"

#include "counted.h"
#include "quantity.h"
#include "scenario-sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace ns3
{

namespace
{

// Measured, rounded down.
constexpr std::uint64_t CELL_BYTES = 14; ///< of an aggregator, besides its values
constexpr std::uint64_t HOST_BYTES = 10'000;
constexpr std::uint64_t FRAME_BYTES = 48; ///< besides its values
constexpr std::uint64_t PARTITION_BYTES = 40;
constexpr std::uint64_t VALUE_BYTES = 4;
constexpr std::uint64_t LINE_BYTES = 64; ///< that a row of values is rounded up to
constexpr std::uint64_t DIGEST_BYTES = 8;
constexpr std::uint32_t DSA_KEPT_RESULTS = 8192;

std::uint64_t
CarriedBytes(const Scenario& scenario)
{
    switch (scenario.payload)
    {
    case Payload::none:
        return 0;
    case Payload::digest:
        return DIGEST_BYTES;
    case Payload::values:
        break;
    }
    return VALUE_BYTES * ValuesPerPacket(scenario);
}

std::uint64_t
AggregatorsInAll(const Scenario& scenario)
{
    return IsSwitchml(scenario)
               ? 2 * scenario.jobs.size() * SlotsPerJob(scenario) // with the shadow copies
               : std::uint64_t{scenario.topology.racks} * Aggregators(scenario);
}

std::uint64_t
SwitchBytes(const Scenario& scenario)
{
    const std::uint64_t row = (CarriedBytes(scenario) + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    return AggregatorsInAll(scenario) * (row + CELL_BYTES);
}

std::uint64_t
KeptResults(const Scenario& scenario)
{
    if (IsSwitchml(scenario))
    {
        return 0;
    }
    return scenario.system == System::atp ? scenario.atp.kept_results : DSA_KEPT_RESULTS;
}

struct JobBytes
{
    std::uint64_t fragments{0}; ///< what its workers remember of an iteration
    std::uint64_t partitions{0};
    std::uint64_t windows{0};
    std::uint64_t kept{0};
};

JobBytes
BytesInRun(const Scenario& scenario, const JobScenario& job)
{
    constexpr std::uint64_t BITS = 8;
    const std::uint64_t fragments = FragmentsOf(scenario, job.profile);
    std::uint64_t partitions = 0;
    for (const LayerProfile& layer : job.profile.layers)
    {
        partitions += PartitionCount(layer, job.profile.partition_bytes);
    }
    const std::uint64_t frame = FRAME_BYTES + CarriedBytes(scenario);
    JobBytes bytes;
    bytes.fragments = job.workers * std::bit_ceil(2 * fragments) / BITS;
    bytes.partitions = job.workers * partitions * PARTITION_BYTES;
    bytes.windows =
        job.workers * std::min<std::uint64_t>(InitialWindow(scenario), fragments) * frame;
    bytes.kept = KeptResults(scenario) * FRAME_BYTES;
    return bytes;
}

} // namespace

MemoryEstimate
EstimateMemory(const Scenario& scenario)
{
    MemoryEstimate estimate;
    const auto add = [&estimate](std::uint64_t bytes, std::string pointer, std::string what)
    {
        estimate.bytes += bytes;
        if (bytes > estimate.most)
        {
            estimate.most = bytes;
            estimate.pointer = std::move(pointer);
            estimate.what = std::move(what);
        }
    };
    JobBytes all;
    for (const JobScenario& job : scenario.jobs)
    {
        const JobBytes bytes = BytesInRun(scenario, job);
        all.fragments += bytes.fragments;
        all.partitions += bytes.partitions;
        all.windows += bytes.windows;
        all.kept += bytes.kept;
    }
    const std::string transport = scenario.system == System::atp ? "/atp" : "/dsa";
    add(SwitchBytes(scenario),
        "/switch/memory_bytes",
        Counted(AggregatorsInAll(scenario), IsSwitchml(scenario) ? "slot" : "aggregator"));
    add(HOST_BYTES * (scenario.topology.hosts + scenario.topology.parameter_servers),
        "/topology/hosts",
        "the hosts");
    add(all.fragments, "/jobs", "the packets of all workers");
    add(all.partitions, "/jobs", "the partitions of all workers");
    add(all.windows,
        IsSwitchml(scenario) ? "/switchml/slots" : transport + "/initial_window_packets",
        "what all workers send at once");
    add(all.kept, transport + "/kept_results", "the results that parameter servers keep");
    return estimate;
}

std::string
DescribeMemory(const MemoryEstimate& estimate)
{
    constexpr std::uint64_t DIGIT = 100'000'000;
    const auto rounded = [](std::uint64_t bytes)
    { return FormatBytes(bytes < DIGIT ? bytes : (bytes + DIGIT / 2) / DIGIT * DIGIT); };
    return fmt::format("{} take {} of memory, and the run {} in all",
                       estimate.what,
                       rounded(estimate.most),
                       rounded(estimate.bytes));
}

std::uint64_t
BytesOf(const JobScenario& job)
{
    std::uint64_t bytes = job.profile.layers.size() * sizeof(LayerProfile) +
                          job.profile.send_order.size() * sizeof(job.profile.send_order[0]);
    for (const auto& worker : job.speeds)
    {
        bytes += sizeof(worker) + worker.size() * sizeof(double);
    }
    return bytes;
}

} // namespace ns3
