// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/resolve/job_roots.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "scenarios/resolve/placement.hpp"

namespace ina::scenarios {

using cluster::RootChoice;
using cluster::SwitchIndex;

namespace {

using Racks = std::vector<SwitchIndex>;

Racks racks_of(const std::vector<std::uint32_t>& machines, const cluster::Topology& topology) {
  Racks racks;
  for (const std::uint32_t machine : machines) racks.push_back(topology.switch_of[machine]);
  return racks;
}

}  // namespace

bool RootRacks::join_racks() const {
  const auto joins_another = [](const auto& root) {
    return std::ranges::any_of(root.second, [&](SwitchIndex rack) { return rack != root.first; });
  };
  return std::ranges::any_of(of_workers, joins_another) ||
         std::ranges::any_of(of_servers, joins_another);
}

RootRacks racks_by_root(const Scenario& scenario, const Network& network, RootChoice choice) {
  if (!can_be_placed(scenario, network)) return {};
  const bool has_servers = scenario.hosts().traits().has_servers;
  const std::vector<std::vector<std::uint32_t>> workers = worker_machines(scenario, network);
  RootRacks all;
  for (std::size_t job = 0; job < scenario.jobs.size(); ++job) {
    const auto servers =
        has_servers ? server_machines(scenario, network, job) : std::vector<std::uint32_t>();
    const bool lacks_servers = has_servers && servers.size() < server_count(scenario.jobs[job]);
    if (workers[job].empty() || lacks_servers) return {};
    const Racks of_workers = racks_of(workers[job], network.topology);
    const Racks of_servers = racks_of(servers, network.topology);
    const auto roots = cluster::find_roots(network.topology, choice, of_workers, of_servers);
    if (roots.empty()) return {};
    for (const SwitchIndex root : roots) {
      all.of_workers[root].insert(of_workers.begin(), of_workers.end());
      all.of_servers[root].insert(of_servers.begin(), of_servers.end());
    }
  }
  return all;
}

RootChoice root_choice(const Scenario& scenario, const Network& network) {
  if (scenario.topology.root) return *scenario.topology.root;
  if (!scenario.hosts().traits().chooses_roots) return RootChoice::server_leaf;
  return racks_by_root(scenario, network, RootChoice::least_loaded).join_racks()
             ? RootChoice::least_loaded
             : RootChoice::server_leaf;
}

}  // namespace ina::scenarios
