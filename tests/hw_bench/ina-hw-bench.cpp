// SPDX-License-Identifier: BSD-3-Clause
// Measures the processing of packets in hosts and switch, from memory to memory on one core. Prints
// a line of JSON: packets per second of each part, by system and frame size, and the cost and error
// of SwitchML's two ways to convert floats to integers.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "hw/files/exit_status.hpp"
#include "hw/protocol/numeric/block_floating_point.hpp"
#include "switch-models/systems/all.hpp"
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

using cluster::Quantisation;

using cluster::system_called;

struct Kind {
  cluster::SystemId system;
  std::uint32_t values;
  Quantisation quantisation = Quantisation::fixed_point;
};
constexpr Kind kKinds[] = {{system_called("switchml"), 64},
                           {system_called("atp"), wire::kFragmentValues},
                           {system_called("dsa"), wire::kFragmentValues},
                           {system_called("switchml"), 256},
                           {system_called("switchml"), 64, Quantisation::block_floating_point},
                           {system_called("switchml"), 256, Quantisation::block_floating_point}};

std::shared_ptr<const systems::Settings> settings_of(const Kind& kind) {
  auto settings = std::make_shared<systems::Settings>();
  auto& switchml = settings->of<systems::Switchml>();
  switchml.values = kind.values;
  switchml.slots = kWindow;
  switchml.quantisation = kind.quantisation;
  settings->of<systems::Atp>().worker.window.initial_packets = kWindow;
  settings->of<systems::Dsa>().worker.window.initial_packets = kWindow;
  cluster::System& system = settings->hosts(kind.system);
  system.fill_in({.aggregators = kAggregators});
  system.limit({.least_timeout = std::chrono::seconds(1), .most_packets = kWindow});
  return settings;
}

cluster::Spec cluster_of(const Kind& kind,
                         const std::shared_ptr<const systems::Settings>& settings) {
  cluster::JobSpec job;
  for (HostId host = 0; host < kWorkers; ++host) job.workers.push_back(host);
  job.servers = {kWorkers};
  constexpr std::uint32_t kOnlyLayer = 0;
  constexpr std::uint32_t kNoExponents = 0;
  job.training.partitions.add(kOnlyLayer, static_cast<std::uint32_t>(kFloats / kind.values + 1),
                              kNoExponents);
  cluster::Spec cluster;
  cluster.system = {settings, &settings->hosts(kind.system)};
  cluster.topology = cluster::topology_of(cluster::Star{.hosts = kWorkers, .parameter_servers = 1});
  cluster.jobs = {job};
  return cluster;
}

MemoryCluster memory_cluster(const Kind& kind, std::vector<std::vector<float>> floats) {
  const auto settings = settings_of(kind);
  return {cluster_of(kind, settings), settings->switches(kind.system), std::move(floats)};
}

std::string name_of(const Kind& kind) {
  const bool in_blocks = kind.quantisation == Quantisation::block_floating_point;
  return std::string(cluster::name_of(kind.system)) + (in_blocks ? " in blocks" : "");
}

nlohmann::json row(const std::string& what, const Kind& kind, double packets_per_second) {
  return {{"what", what},
          {"system", name_of(kind)},
          {"frame_bytes", frame_bytes(cluster::traits_of(kind.system).format, kind.values)},
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

// ---- one exponent per array, or one per fragment

constexpr std::size_t kFloatsOfErrors = 1'000'000;
constexpr std::size_t kLayer = 50'000;

using Draw = float (*)(std::mt19937_64& random, std::size_t index);

float normal(std::mt19937_64& random) { return std::normal_distribution<float>(0, 1)(random); }

constexpr std::pair<const char*, Draw> kDistributions[] = {
    {"uniform, -1 to 1",
     [](std::mt19937_64& random, std::size_t) {
       return std::uniform_real_distribution<float>(-1, 1)(random);
     }},
    {"normal", [](std::mt19937_64& random, std::size_t) { return normal(random); }},
    {"log-normal, sigma 4",
     [](std::mt19937_64& random, std::size_t) {
       return std::exp(4 * normal(random)) * (random() % 2 == 0 ? 1.F : -1.F);
     }},
    {"normal, layers from 1e-6 to 1",
     [](std::mt19937_64& random, std::size_t index) {
       const auto layer = static_cast<float>(index / kLayer % 7);
       return normal(random) * std::pow(10.F, -layer);
     }},
    {"normal 1e-4, one in a million 1e4",
     [](std::mt19937_64& random, std::size_t index) {
       return index == kFloatsOfErrors / 2 ? 1e4F : normal(random) * 1e-4F;
     }},
    {"denormals", [](std::mt19937_64& random, std::size_t) { return normal(random) * 1e-40F; }},
};

std::vector<std::vector<float>> draw(Draw one) {
  std::mt19937_64 random(20231);
  std::vector<std::vector<float>> floats(kWorkers);
  for (auto& values : floats) {
    values.resize(kFloatsOfErrors);
    for (std::size_t index = 0; index < values.size(); ++index) values[index] = one(random, index);
  }
  return floats;
}

/// Time that a worker spends in these parts.
double milliseconds(const MemoryCluster& cluster, std::initializer_list<Part> parts) {
  double seconds = 0;
  for (const Part part : parts) seconds += cluster.meter(part).time.count();
  return 1e3 * seconds / kWorkers;
}

nlohmann::json measure_quantisation() {
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& [name, one] : kDistributions) {
    for (const Kind& kind : kKinds) {
      if (kind.system != system_called("switchml")) continue;
      MemoryCluster cluster = memory_cluster(kind, draw(one));
      cluster.all_reduce();
      const benchmark::Errors errors = cluster.errors();
      const std::uint64_t bytes =
          cluster.packets_sent() * frame_bytes(cluster::traits_of(kind.system).format, kind.values);
      rows.push_back(
          {{"values", name},
           {"system", name_of(kind)},
           {"frame_bytes", frame_bytes(cluster::traits_of(kind.system).format, kind.values)},
           {"sent_bytes", bytes},
           {"begin_ms", milliseconds(cluster, {Part::submit})},
           {"worker_ms", milliseconds(cluster, {Part::submit, Part::send, Part::receive})},
           {"mean_error", errors.mean},
           {"largest_error", errors.largest}});
    }
  }
  return rows;
}

std::vector<std::vector<float>> ranks() {
  std::vector<std::vector<float>> floats;
  for (std::size_t rank = 1; rank <= kWorkers; ++rank) {
    floats.emplace_back(kFloats, static_cast<float>(rank));
  }
  return floats;
}

nlohmann::json measure() {
  nlohmann::json rows = nlohmann::json::array();
  for (const Kind& kind : kKinds) {
    MemoryCluster cluster = memory_cluster(kind, ranks());
    cluster.all_reduce();
    if (cluster.errors().largest != 0) throw std::logic_error("the workers got a wrong sum");
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
    const nlohmann::json figures = {{"parts", measure()}, {"quantisation", measure_quantisation()}};
    std::puts(figures.dump().c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ina-hw-bench: %s\n", error.what());
    return ina::exit_status::kEnvironmentError;
  }
}
