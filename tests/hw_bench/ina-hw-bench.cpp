// SPDX-License-Identifier: BSD-3-Clause
// Measures what the hosts and the switch do with a packet, from memory to memory, on one core.
// Prints a line of JSON: packets per second of each part, by system and size of the frames.
#include <chrono>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "hw/protocol/numeric/block_floating_point.hpp"
#include "tests/hw_bench/memory_cluster.hpp"

namespace {

using namespace ina;
using benchmark::MemoryCluster;
using benchmark::Part;

constexpr std::uint16_t kWorkers = 4;
constexpr std::size_t kFloats = 4'000'000;
constexpr std::uint32_t kWindow = 256;
constexpr std::uint32_t kAggregators = 20'000;  // 5 MB of 62 values
constexpr std::pair<Part, const char*> kPartNames[] = {
    {Part::send, "worker: quantise, send"},
    {Part::receive, "worker: receive, dequantise"},
    {Part::decode, "switch: decode"},
    {Part::program, "switch: program alone"},
    {Part::encode, "switch: encode"}};

struct Kind {
  wire::Protocol protocol;
  std::uint32_t values;
};
constexpr Kind kKinds[] = {{wire::Protocol::switchml, 64},
                           {wire::Protocol::atp, wire::kFragmentValues},
                           {wire::Protocol::dsa, wire::kFragmentValues},
                           {wire::Protocol::switchml, 256}};

endpoints::Cluster cluster_of(const Kind& kind) {
  endpoints::Job job;
  for (HostId host = 0; host < kWorkers; ++host) job.workers.push_back(host);
  job.server = kWorkers;
  job.slots = kWindow;
  job.training.partitions = {{0, 0, static_cast<std::uint32_t>(kFloats / kind.values + 1)}};
  endpoints::Cluster cluster;
  cluster.protocol = kind.protocol;
  cluster.values_per_packet = kind.values;
  cluster.addressing.aggregators = kAggregators;
  cluster.window = {kWindow, kWindow, kind.protocol != wire::Protocol::switchml};
  cluster.worker_timeout = cluster.server_timeout = std::chrono::seconds(1);
  cluster.kept_results = 1024;
  cluster.jobs = {job};
  return cluster;
}

nlohmann::json row(const std::string& what, const Kind& kind, double packets_per_second) {
  return {{"what", what},
          {"system", wire::name_of(kind.protocol)},
          {"frame_bytes", frame_bytes(kind.protocol, kind.values)},
          {"packets_per_second", packets_per_second}};
}

double quantisations_per_second(const Kind& kind) {
  const std::vector<float> floats(kFloats, 0.5F);
  std::vector<std::int32_t> integers(kind.values);
  const std::span<const float> all(floats);
  const auto exponent = numeric::chunk_exponent(all);
  benchmark::Meter meter;
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t first = 0; first + kind.values <= kFloats; first += kind.values) {
    const auto status =
        numeric::quantise(all.subspan(first, kind.values), *exponent, kWorkers, integers);
    if (!status.ok()) throw std::logic_error("0.5 is beyond its exponent");
    ++meter.packets;
  }
  meter.time = std::chrono::steady_clock::now() - begin;
  return meter.packets_per_second();
}

nlohmann::json measure() {
  nlohmann::json rows = nlohmann::json::array();
  for (const Kind& kind : kKinds) {
    MemoryCluster cluster(cluster_of(kind), kFloats);
    cluster.all_reduce();
    for (const auto& [part, name] : kPartNames) {
      rows.push_back(row(name, kind, cluster.meter(part).packets_per_second()));
    }
    rows.push_back(row("quantise alone", kind, quantisations_per_second(kind)));
  }
  return rows;
}

}  // namespace

int main() {
  try {
    std::puts(measure().dump().c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ina-hw-bench: %s\n", error.what());
    return 1;
  }
}
