// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/resolve/memory_estimate.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <utility>

#include "hw/fields/counted.hpp"
#include "hw/fields/quantity.hpp"
#include "hw/fields/strict_json.hpp"
#include "hw/protocol/cache_line.hpp"
#include "hw/protocol/units.hpp"
#include "scenarios/resolve/job_roots.hpp"
#include "scenarios/resolve/placement.hpp"
#include "scenarios/resolve/sizes.hpp"

namespace ina::scenarios {

namespace {

// Measured values, rounded down.
constexpr std::uint64_t kCellBytes = 14;  ///< per aggregator, without its values
constexpr std::uint64_t kHostBytes = 10'000;
constexpr std::uint64_t kFrameBytes = 48;  ///< without its values
constexpr std::uint64_t kPartitionBytes = 40;
constexpr std::uint64_t kDigestBytes = 8;

std::uint64_t carried_bytes(const Scenario& scenario) {
  switch (scenario.payload) {
    case Payload::none:
      return 0;
    case Payload::digest:
      return kDigestBytes;
    case Payload::values:
      break;
  }
  return kBytesPerValue * scenario.hosts().values_per_packet();
}

/// Switches above the racks have aggregators only if they may be roots.
std::size_t switches_with_aggregators(const Scenario& scenario, const Network& network) {
  return root_choice(scenario, network) == cluster::RootChoice::server_leaf
             ? network.topology.racks()
             : network.topology.switches.size();
}

std::uint64_t aggregators_in_all(const Scenario& scenario, const Network& network) {
  // slots have a shadow copy
  const std::uint64_t copies = scenario.hosts().traits().has_own_slots ? 2 : 1;
  return copies * switches_with_aggregators(scenario, network) *
         scenario.switches().aggregators(scenario.jobs.size());
}

std::uint64_t switch_bytes(const Scenario& scenario, const Network& network) {
  constexpr std::uint64_t kLine = kCacheLineBytes;  // rows of values are rounded up to whole lines
  const std::uint64_t row = (carried_bytes(scenario) + kLine - 1) / kLine * kLine;
  return aggregators_in_all(scenario, network) * (row + kCellBytes);
}

struct JobBytes {
  std::uint64_t fragments{0};  ///< fragments of an iteration that workers keep track of
  std::uint64_t partitions{0};
  std::uint64_t windows{0};
  std::uint64_t kept{0};
};

JobBytes bytes_in_run(const Scenario& scenario, const JobScenario& job) {
  const std::uint64_t fragments = fragments_of(scenario, job.profile);
  const std::uint64_t frame = kFrameBytes + carried_bytes(scenario);
  JobBytes bytes;
  bytes.fragments = job.workers * std::bit_ceil(2 * fragments) / kBitsPerByte;
  bytes.partitions = job.workers * partition_count(job.profile) * kPartitionBytes;
  bytes.windows =
      job.workers * std::min<std::uint64_t>(scenario.hosts().initial_window(), fragments) * frame;
  bytes.kept = server_count(job) * scenario.hosts().kept_results() * kFrameBytes;
  return bytes;
}

}  // namespace

MemoryEstimate estimate_memory(const Scenario& scenario, const Network& network) {
  MemoryEstimate estimate;
  const auto add = [&estimate](std::uint64_t bytes, std::string pointer, std::string what) {
    estimate.bytes += bytes;
    if (bytes > estimate.most) {
      estimate.most = bytes;
      estimate.pointer = std::move(pointer);
      estimate.what = std::move(what);
    }
  };
  JobBytes all;
  for (const JobScenario& job : scenario.jobs) {
    const JobBytes bytes = bytes_in_run(scenario, job);
    all.fragments += bytes.fragments;
    all.partitions += bytes.partitions;
    all.windows += bytes.windows;
    all.kept += bytes.kept;
  }
  const cluster::System& hosts = scenario.hosts();
  const std::string system = pointer_to("", hosts.traits().name);
  add(switch_bytes(scenario, network), "/switch/memory_bytes",
      counted(aggregators_in_all(scenario, network),
              hosts.traits().has_own_slots ? "slot" : "aggregator"));
  add(kHostBytes * placements_of(scenario, network).machine_of.size(), "/topology", "the hosts");
  add(all.fragments, "/jobs", "the packets of all workers");
  add(all.partitions, "/jobs", "the partitions of all workers");
  add(all.windows, pointer_to(system, hosts.initial_window_key()),
      "the packets in flight of all workers");
  add(all.kept, pointer_to(system, "kept_results"), "the results that parameter servers keep");
  return estimate;
}

MemoryEstimate estimate_memory(const Scenario& scenario) {
  return estimate_memory(scenario, Network(scenario.topology, scenario.seed));
}

std::string describe_memory(const MemoryEstimate& estimate) {
  constexpr std::uint64_t kDigit = 100'000'000;
  const auto rounded = [](std::uint64_t bytes) {
    return format_bytes(bytes < kDigit ? bytes : (bytes + kDigit / 2) / kDigit * kDigit);
  };
  return fmt::format("{} take {} of memory, and the whole run takes {}", estimate.what,
                     rounded(estimate.most), rounded(estimate.bytes));
}

std::uint64_t bytes_of(const JobScenario& job) {
  std::uint64_t bytes = job.profile.layers.size() * sizeof(LayerProfile) +
                        job.profile.send_order.size() * sizeof(job.profile.send_order[0]);
  for (const auto& worker : job.compute_time_factors) {
    bytes += sizeof(std::vector<double>) + worker.size() * sizeof(double);
  }
  return bytes;
}

}  // namespace ina::scenarios
