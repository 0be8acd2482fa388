// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/scenario_sizes.hpp"

#include <algorithm>
#include <vector>

#include "hw/protocol/transport/worker_transport.hpp"
#include "hw/protocol/units.hpp"
#include "scenarios/reader/cluster_links.hpp"
#include "scenarios/reader/job_roots.hpp"
#include "scenarios/reader/placement.hpp"
#include "scenarios/reader/topologies.hpp"

namespace ina::scenarios {

namespace {

/// Of the links of the hosts from `first` on, of which there is one at least.
std::int64_t longest_delay_ps(const ClusterLinks& links, std::size_t first, std::size_t count) {
  std::int64_t longest = 0;
  for (std::size_t host = first; host < first + count; ++host) {
    longest = std::max(longest, links.hosts[host].line.delay_ps);
  }
  return longest;
}

/// One way over trunks, each with the pipeline of the switch behind it.
struct WaysOfTrunks {
  double to_root = 0;    ///< from the most distant worker's rack, or to the servers' switch
  double to_server = 0;  ///< from there, to the most distant server's rack
};

WaysOfTrunks ways_of_trunks(const Scenario& scenario, const ClusterLinks& links) {
  const std::int64_t pipeline = scenario.switch_.pipeline_latency_ps;
  const auto cost = [=](const ClusterLink& trunk) {
    return static_cast<double>(trunk.line.delay_ps + pipeline);
  };
  const cluster::RootChoice choice = root_choice(scenario, links.topology);
  const bool is_above =
      scenario.hosts().traits().has_aggregators && choice != cluster::RootChoice::server_leaf;
  WaysOfTrunks ways;
  if (is_above) {
    const RootRacks racks = racks_by_root(scenario, links.topology, choice);
    for (const auto& [root, of_workers] : racks.of_workers) {
      ways.to_root = std::max(ways.to_root, links.dearest_way(of_workers, root, cost));
    }
    for (const auto& [root, of_servers] : racks.of_servers) {
      ways.to_server = std::max(ways.to_server, links.dearest_way(of_servers, root, cost));
    }
    return ways;
  }
  ways.to_root = links.dearest_way(cost);
  if (has_distant_server(scenario, links.topology)) ways.to_server = ways.to_root;
  return ways;
}

/// From the most distant worker to the switch that answers, and back, without queues.
std::int64_t to_switch_and_back_ps(const Scenario& scenario, const ClusterLinks& links,
                                   const WaysOfTrunks& ways) {
  const std::uint32_t hosts = host_count(scenario.topology);
  return 2 * (longest_delay_ps(links, 0, hosts) + static_cast<std::int64_t>(ways.to_root)) +
         scenario.switch_.pipeline_latency_ps;
}

/// From that switch to the most distant parameter server and back; if there is none, to a host
/// beside it.
std::int64_t beyond_switch_and_back_ps(const Scenario& scenario, const ClusterLinks& links,
                                       const WaysOfTrunks& ways) {
  const std::uint32_t hosts = host_count(scenario.topology);
  const std::uint32_t servers = scenario.topology.parameter_servers;
  const bool among_workers = has_distant_server(scenario, links.topology);
  const std::int64_t of_server = among_workers  ? longest_delay_ps(links, 0, hosts)
                                 : servers == 0 ? scenario.topology.link.delay_ps
                                                : longest_delay_ps(links, hosts, servers);
  return 2 * (of_server + static_cast<std::int64_t>(ways.to_server)) +
         scenario.switch_.pipeline_latency_ps;
}

/// What decides how fast the fastest job sends: the slowest of its workers' links. Of a scenario
/// whose jobs cannot be placed, or that has none, any.
ClusterLink bottleneck(const Scenario& scenario, const ClusterLinks& links) {
  const std::uint32_t frame = scenario.hosts().frame_bytes();
  const auto rate = [&](std::uint32_t host) { return links.hosts[host].rate_bps_of(frame); };
  std::vector<std::uint32_t> slowest;
  if (can_be_placed(scenario)) {
    for (const std::vector<std::uint32_t>& of_job : worker_machines(scenario)) {
      if (!of_job.empty()) slowest.push_back(std::ranges::min(of_job, {}, rate));
    }
  }
  if (slowest.empty()) return links.hosts.front();
  return links.hosts[std::ranges::max(slowest, {}, rate)];
}

/// Rate of the slowest of `host_link` and all trunks.
std::uint64_t slowest_rate_bps(const Scenario& scenario, const ClusterLinks& links,
                               const ClusterLink& host_link) {
  const std::uint32_t frame = scenario.hosts().frame_bytes();
  std::uint64_t slowest = host_link.rate_bps_of(frame);
  for (const ClusterLink& trunk : links.trunks)
    slowest = std::min(slowest, trunk.rate_bps_of(frame));
  return slowest;
}

}  // namespace

cluster::Environment environment_of(const Scenario& scenario) {
  const ClusterLinks links(scenario.topology);
  const ClusterLink link = bottleneck(scenario, links);
  const WaysOfTrunks ways = ways_of_trunks(scenario, links);
  const std::int64_t to_switch = to_switch_and_back_ps(scenario, links, ways);
  const std::int64_t beyond = beyond_switch_and_back_ps(scenario, links, ways);
  return {.jobs = std::max(static_cast<std::uint32_t>(scenario.jobs.size()), 1U),
          .aggregators = aggregators_in_memory(scenario),
          .hash = scenario.switch_.hash,
          .line_rate_bps = link.rate_bps_of(scenario.hosts().frame_bytes()),
          .slowest_rate_bps = slowest_rate_bps(scenario, links, link),
          .framing_bytes = link.line.framing_bytes,
          .to_switch_and_back = Time(to_switch),
          .to_server_and_back = Time(to_switch + beyond),
          .ecn_threshold_bytes = scenario.switch_.ecn_threshold_bytes,
          .seed = scenario.seed};
}

Scenario with_sizes(Scenario scenario) {
  scenario.topology.root = root_choice(scenario, topology_of(scenario.topology));
  scenario.systems.hosts(scenario.system).fill_in(environment_of(scenario));
  return scenario;
}

std::uint64_t fragments_of(const Scenario& scenario, const ModelProfile& profile) {
  const std::uint64_t values = scenario.hosts().values_per_packet();
  const std::uint32_t slots = scenario.hosts().exponent_slots();
  const auto fragments = [=](std::uint64_t bytes) {
    const auto with_values = (bytes / kBytesPerValue + values - 1) / values;
    return with_values + exponent_lead_of(with_values, slots);
  };
  std::uint64_t total = 0;
  for (const auto& layer : profile.layers) {
    const auto bytes = layer.parameters * kBytesPerValue;
    total += bytes / profile.partition_bytes * fragments(profile.partition_bytes) +
             fragments(bytes % profile.partition_bytes);
  }
  return total;
}

std::uint32_t aggregators_in_memory(const Scenario& scenario) {
  return static_cast<std::uint32_t>(scenario.switch_.memory_bytes /
                                    scenario.switches().aggregator_bytes());
}

}  // namespace ina::scenarios
