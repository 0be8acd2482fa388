// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/placement.hpp"

#include "scenarios/reader/topologies.hpp"

namespace ina::scenarios {

namespace {

constexpr std::uint64_t kSeedStride = 1'000'003;  // between the gradients of two jobs of a run

}  // namespace

std::vector<HostId> worker_hosts(const Scenario& scenario, std::size_t job) {
  std::uint32_t first = 0;
  for (std::size_t before = 0; before < job; ++before) {
    first += scenario.jobs[before].workers;
  }
  std::vector<HostId> hosts;
  for (std::uint32_t rank = 0; rank < scenario.jobs[job].workers; ++rank) {
    hosts.push_back(static_cast<HostId>(first + rank));
  }
  return hosts;
}

HostId server_host(const Scenario& scenario, std::size_t job) {
  return static_cast<HostId>(host_count(scenario.topology) + job);
}

std::uint64_t first_random_stream(const Scenario& scenario, std::size_t job) {
  std::uint64_t stream = 0;
  for (std::size_t before = 0; before < job; ++before) {
    stream += 1 + scenario.jobs[before].workers;
  }
  return stream;
}

std::uint64_t gradient_seed(const Scenario& scenario, std::size_t job) {
  return scenario.seed * kSeedStride + job;
}

}  // namespace ina::scenarios
