// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/placement.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "scenarios/reader/topologies.hpp"

namespace ina::scenarios {

namespace {

constexpr std::uint64_t kSeedStride = 1'000'003;  // between the gradients of two jobs of a run

/// The hosts, one of each rack in turn.
std::vector<HostId> spread_over_racks(const cluster::Topology& topology, std::uint32_t hosts) {
  std::vector<std::uint32_t> hosts_before(topology.racks());  // in the same rack
  std::vector<std::pair<std::uint32_t, HostId>> turns;
  for (std::uint32_t host = 0; host < hosts; ++host) {
    turns.emplace_back(hosts_before[topology.switch_of[host]]++, static_cast<HostId>(host));
  }
  std::ranges::sort(turns);
  std::vector<HostId> order;
  order.reserve(turns.size());
  for (const auto& [turn, host] : turns) order.push_back(host);
  return order;
}

}  // namespace

std::vector<HostId> hosts_in_order(const TopologyScenario& scenario) {
  const std::uint32_t hosts = host_count(scenario);
  if (scenario.placement == Placement::spread) {
    return spread_over_racks(topology_of(scenario), hosts);
  }
  std::vector<HostId> order(hosts);
  std::iota(order.begin(), order.end(), HostId{0});
  return order;
}

std::vector<std::vector<HostId>> worker_hosts(const Scenario& scenario) {
  const std::vector<HostId> order = hosts_in_order(scenario.topology);
  std::vector<std::vector<HostId>> hosts_of_jobs;
  auto next = order.begin();
  for (const JobScenario& job : scenario.jobs) {
    hosts_of_jobs.emplace_back(next, next + job.workers);
    next += job.workers;
  }
  return hosts_of_jobs;
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
