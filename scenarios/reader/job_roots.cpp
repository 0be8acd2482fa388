// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/job_roots.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "scenarios/reader/placement.hpp"

namespace ina::scenarios {

using cluster::RootChoice;
using cluster::SwitchIndex;

namespace {

using Racks = std::vector<SwitchIndex>;

Racks racks_of(const std::vector<std::uint32_t>& machines, const cluster::Topology& network) {
  Racks racks;
  for (const std::uint32_t machine : machines) racks.push_back(network.switch_of[machine]);
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

RootRacks racks_by_root(const Scenario& scenario, const cluster::Topology& network,
                        RootChoice choice) {
  if (!can_be_placed(scenario)) return {};
  const bool has_servers = scenario.hosts().traits().has_servers;
  const std::vector<std::vector<std::uint32_t>> workers = worker_machines(scenario);
  RootRacks all;
  for (std::size_t job = 0; job < scenario.jobs.size(); ++job) {
    const auto servers =
        has_servers ? server_machines(scenario, job) : std::vector<std::uint32_t>();
    const bool lacks_servers = has_servers && servers.size() < server_count(scenario.jobs[job]);
    if (workers[job].empty() || lacks_servers) return {};
    const Racks of_workers = racks_of(workers[job], network);
    const Racks of_servers = racks_of(servers, network);
    const auto roots = cluster::find_roots(network, choice, of_workers, of_servers);
    if (roots.empty()) return {};
    for (const SwitchIndex root : roots) {
      all.of_workers[root].insert(of_workers.begin(), of_workers.end());
      all.of_servers[root].insert(of_servers.begin(), of_servers.end());
    }
  }
  return all;
}

RootChoice root_choice(const Scenario& scenario, const cluster::Topology& network) {
  if (scenario.topology.root) return *scenario.topology.root;
  if (!scenario.hosts().traits().chooses_roots) return RootChoice::server_leaf;
  return racks_by_root(scenario, network, RootChoice::least_loaded).join_racks()
             ? RootChoice::least_loaded
             : RootChoice::server_leaf;
}

}  // namespace ina::scenarios
