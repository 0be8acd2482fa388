// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/resolve/placement.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "scenarios/resolve/link_names.hpp"

namespace ina::scenarios {

namespace {

// stride between runs; the jobs of a run are consecutive
constexpr std::uint64_t kSeedStride = 1'000'003;

/// All hosts, alternating between the racks.
std::vector<std::uint32_t> spread_over_racks(const cluster::Topology& topology,
                                             std::uint32_t hosts) {
  std::vector<std::uint32_t> hosts_before(topology.racks());  // in the same rack
  std::vector<std::pair<std::uint32_t, std::uint32_t>> turns;
  for (std::uint32_t host = 0; host < hosts; ++host) {
    turns.emplace_back(hosts_before[topology.switch_of[host]]++, host);
  }
  std::ranges::sort(turns);
  std::vector<std::uint32_t> order;
  order.reserve(turns.size());
  for (const auto& [turn, host] : turns) order.push_back(host);
  return order;
}

std::vector<std::uint32_t> hosts_in_order(const Scenario& scenario, const Network& network) {
  if (scenario.topology.placement == Placement::spread) {
    return spread_over_racks(network.topology, network.host_count);
  }
  std::vector<std::uint32_t> order(network.host_count);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// Assigns addresses to workers and servers on machines.
class Addresses {
 public:
  explicit Addresses(std::size_t machines) : taken_(machines), machine_of_(machines) {
    std::iota(machine_of_.begin(), machine_of_.end(), 0);
  }

  HostId next_at(std::uint32_t machine) {
    if (!taken_[machine]) {
      taken_[machine] = true;
      return static_cast<HostId>(machine);
    }
    machine_of_.push_back(machine);
    return static_cast<HostId>(machine_of_.size() - 1);
  }
  std::vector<std::uint32_t>& machine_of() { return machine_of_; }

 private:
  std::vector<bool> taken_;  // by machine: whether its own number is in use
  std::vector<std::uint32_t> machine_of_;
};

}  // namespace

bool Placements::are_shared(const Network& network) const {
  return machine_of.size() > network.hosts.size();
}

bool can_be_placed(const Scenario& scenario, const Network& network) {
  std::uint64_t unnamed = 0;
  for (const JobScenario& job : scenario.jobs) {
    if (!job.hosts) unnamed += job.workers;
    const bool is_beyond = job.hosts && std::ranges::any_of(*job.hosts, [&](std::uint32_t host) {
                             return host >= network.host_count;
                           });
    if (is_beyond) return false;
  }
  return unnamed <= unnamed_hosts(scenario, network).size();
}

std::vector<std::vector<std::uint32_t>> worker_machines(const Scenario& scenario,
                                                        const Network& network) {
  const std::vector<std::uint32_t> unnamed = unnamed_hosts(scenario, network);
  std::vector<std::vector<std::uint32_t>> machines;
  auto next = unnamed.begin();
  for (const JobScenario& job : scenario.jobs) {
    if (job.hosts) {
      machines.push_back(*job.hosts);
    } else {
      machines.emplace_back(next, next + job.workers);
      next += job.workers;
    }
  }
  return machines;
}

Placements placements_of(const Scenario& scenario, const Network& network) {
  Placements places;
  Addresses addresses(network.hosts.size());
  const bool has_servers = scenario.hosts().traits().has_servers;
  for (const std::vector<std::uint32_t>& machines : worker_machines(scenario, network)) {
    std::vector<HostId>& workers = places.workers.emplace_back();
    for (const std::uint32_t machine : machines) workers.push_back(addresses.next_at(machine));
    if (!has_servers) continue;
    const auto of_servers = server_machines(scenario, network, places.servers.size());
    std::vector<HostId>& servers = places.servers.emplace_back();
    for (const std::uint32_t machine : of_servers) servers.push_back(addresses.next_at(machine));
  }
  places.machine_of = std::move(addresses.machine_of());
  return places;
}

cluster::Topology placed_topology(const cluster::Topology& network, const Placements& placements) {
  cluster::Topology topology = network;
  if (placements.machine_of.size() == network.switch_of.size()) return topology;
  for (std::size_t address = topology.switch_of.size(); address < placements.machine_of.size();
       ++address) {
    topology.switch_of.push_back(topology.switch_of[placements.machine_of[address]]);
  }
  topology.machine_of = placements.machine_of;
  return topology;
}

std::vector<std::uint32_t> unnamed_hosts(const Scenario& scenario, const Network& network) {
  std::vector<std::uint32_t> hosts = hosts_in_order(scenario, network);
  std::vector<bool> named(hosts.size());
  for (const JobScenario& job : scenario.jobs) {
    if (!job.hosts) continue;
    for (const std::uint32_t host : *job.hosts) named[host] = true;
  }
  std::erase_if(hosts, [&named](std::uint32_t host) { return named[host]; });
  return hosts;
}

std::size_t server_count(const JobScenario& job) {
  return std::max<std::size_t>(job.servers.size(), 1);
}

std::vector<std::uint32_t> server_machines(const Scenario& scenario, const Network& network,
                                           std::size_t job) {
  const std::vector<std::string>& named = scenario.jobs[job].servers;
  std::vector<std::uint32_t> machines;
  for (const std::string& name : named) {
    if (const auto machine = find_machine(scenario.topology, name)) machines.push_back(*machine);
  }
  const bool has_own = named.empty() && job < scenario.topology.parameter_servers;
  if (has_own) machines.push_back(network.host_count + static_cast<std::uint32_t>(job));
  return machines;
}

bool has_distant_server(const Scenario& scenario, const Network& network) {
  if (!scenario.hosts().traits().has_servers) return false;
  const auto is_distant = [&](std::uint32_t machine) {
    return network.topology.switch_of[machine] != network.topology.of_servers();
  };
  for (std::size_t job = 0; job < scenario.jobs.size(); ++job) {
    if (std::ranges::any_of(server_machines(scenario, network, job), is_distant)) return true;
  }
  return false;
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
