/* SPDX-License-Identifier: GPL-2.0-only */
#include "machine-memory.h"

#include "hw/fields/input_error.hpp"
#include "hw/fields/quantity.hpp"
#include "scenarios/resolve/memory_estimate.hpp"

#include <fmt/format.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

namespace ns3
{

using namespace ina::scenarios;

namespace
{

uint64_t
MachineBytes()
{
    return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
           static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

std::string
DescribeMachine()
{
    constexpr uint64_t MEGABYTE = 1'000'000;
    return fmt::format("this machine has {}", format_bytes(MachineBytes() / MEGABYTE * MEGABYTE));
}

} // namespace

void
CheckMachineMemory(const std::string& file, const Experiment& experiment)
{
    for (const ExperimentPoint& point : experiment.points)
    {
        const MemoryEstimate estimate = estimate_memory(*point.combination);
        if (estimate.bytes > MachineBytes())
        {
            throw InputError(file,
                             estimate.pointer,
                             fmt::format("{}; allowed: what fits, and {}",
                                         describe_memory(estimate),
                                         DescribeMachine()));
        }
    }
}

unsigned
RunsInMemory(const std::vector<const ExperimentPoint*>& points)
{
    uint64_t largest = 1;
    for (const ExperimentPoint* point : points)
    {
        largest = std::max(largest, estimate_memory(*point->combination).bytes);
    }
    const uint64_t runs = std::max<uint64_t>(MachineBytes() / largest, 1);
    return static_cast<unsigned>(std::min<uint64_t>(runs, std::numeric_limits<unsigned>::max()));
}

uint64_t
PeakResidentBytes()
{
    constexpr uint64_t BYTES_PER_KIB = 1024;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<uint64_t>(usage.ru_maxrss) * BYTES_PER_KIB;
}

std::string
DescribeLackOfMemory(const ExperimentPoint& point)
{
    return fmt::format("out of memory: {} at least; {}",
                       describe_memory(estimate_memory(*point.combination)),
                       DescribeMachine());
}

} // namespace ns3
