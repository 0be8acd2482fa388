// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/memory_estimate.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <utility>

#include "scenarios/reader/counted.hpp"
#include "scenarios/reader/quantity.hpp"
#include "scenarios/reader/scenario_sizes.hpp"

namespace ina::scenarios {

namespace {

// Measured, rounded down.
constexpr std::uint64_t kCellBytes = 14;  ///< of an aggregator, besides its values
constexpr std::uint64_t kHostBytes = 10'000;
constexpr std::uint64_t kFrameBytes = 48;  ///< besides its values
constexpr std::uint64_t kPartitionBytes = 40;
constexpr std::uint64_t kValueBytes = 4;
constexpr std::uint64_t kLineBytes = 64;  ///< that a row of values is rounded up to
constexpr std::uint64_t kDigestBytes = 8;
constexpr std::uint32_t kDsaKeptResults = 8192;

std::uint64_t carried_bytes(const Scenario& scenario) {
  switch (scenario.payload) {
    case Payload::none:
      return 0;
    case Payload::digest:
      return kDigestBytes;
    case Payload::values:
      break;
  }
  return kValueBytes * values_per_packet(scenario);
}

std::uint64_t aggregators_in_all(const Scenario& scenario) {
  return scenario.system == System::switchml
             ? 2 * scenario.jobs.size() * slots_per_job(scenario)  // with the shadow copies
             : std::uint64_t{scenario.topology.racks} * aggregators(scenario);
}

std::uint64_t switch_bytes(const Scenario& scenario) {
  const std::uint64_t row = (carried_bytes(scenario) + kLineBytes - 1) / kLineBytes * kLineBytes;
  return aggregators_in_all(scenario) * (row + kCellBytes);
}

std::uint64_t kept_results(const Scenario& scenario) {
  if (scenario.system == System::switchml) {
    return 0;
  }
  return scenario.system == System::atp ? scenario.atp.kept_results : kDsaKeptResults;
}

struct JobBytes {
  std::uint64_t fragments{0};  ///< what its workers remember of an iteration
  std::uint64_t partitions{0};
  std::uint64_t windows{0};
  std::uint64_t kept{0};
};

JobBytes bytes_in_run(const Scenario& scenario, const JobScenario& job) {
  constexpr std::uint64_t kBits = 8;
  const std::uint64_t fragments = fragments_of(scenario, job.profile);
  std::uint64_t partitions = 0;
  for (const LayerProfile& layer : job.profile.layers) {
    partitions += partition_count(layer, job.profile.partition_bytes);
  }
  const std::uint64_t frame = kFrameBytes + carried_bytes(scenario);
  JobBytes bytes;
  bytes.fragments = job.workers * std::bit_ceil(2 * fragments) / kBits;
  bytes.partitions = job.workers * partitions * kPartitionBytes;
  bytes.windows =
      job.workers * std::min<std::uint64_t>(initial_window(scenario), fragments) * frame;
  bytes.kept = kept_results(scenario) * kFrameBytes;
  return bytes;
}

}  // namespace

MemoryEstimate estimate_memory(const Scenario& scenario) {
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
  const std::string transport = scenario.system == System::atp ? "/atp" : "/dsa";
  add(switch_bytes(scenario), "/switch/memory_bytes",
      counted(aggregators_in_all(scenario),
              scenario.system == System::switchml ? "slot" : "aggregator"));
  add(kHostBytes * (scenario.topology.hosts + scenario.topology.parameter_servers),
      "/topology/hosts", "the hosts");
  add(all.fragments, "/jobs", "the packets of all workers");
  add(all.partitions, "/jobs", "the partitions of all workers");
  add(all.windows,
      scenario.system == System::switchml ? "/switchml/slots"
                                          : transport + "/initial_window_packets",
      "what all workers send at once");
  add(all.kept, transport + "/kept_results", "the results that parameter servers keep");
  return estimate;
}

std::string describe_memory(const MemoryEstimate& estimate) {
  constexpr std::uint64_t kDigit = 100'000'000;
  const auto rounded = [](std::uint64_t bytes) {
    return format_bytes(bytes < kDigit ? bytes : (bytes + kDigit / 2) / kDigit * kDigit);
  };
  return fmt::format("{} take {} of memory, and the run {} in all", estimate.what,
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
