// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/resolve/sizes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "hw/protocol/transport/worker_transport.hpp"
#include "hw/protocol/units.hpp"
#include "scenarios/resolve/job_roots.hpp"
#include "scenarios/resolve/network.hpp"
#include "scenarios/resolve/placement.hpp"

namespace ina::scenarios {

namespace {

/// Maximum delay of a link plus maximum time of a frame in the host. Sizes follow from maxima over
/// all seeds, so that all runs of a point have the same sizes.
std::int64_t longest_ps(const NetworkLink& link, std::uint32_t frame_bytes) {
  return link.longest_delay_ps + std::llround(link.longest_host_ps(frame_bytes));
}

/// Maximum over the links of these hosts.
std::int64_t longest_ps(const Network& network, const std::set<std::uint32_t>& hosts,
                        std::uint32_t frame_bytes) {
  std::int64_t longest = 0;
  for (const std::uint32_t host : hosts) {
    longest = std::max(longest, longest_ps(network.hosts[host], frame_bytes));
  }
  return longest;
}

/// The set of `count` numbers starting with `first`.
std::set<std::uint32_t> hosts_from(std::uint32_t first, std::uint32_t count) {
  std::set<std::uint32_t> hosts;
  for (std::uint32_t i = 0; i < count; ++i) hosts.insert(hosts.end(), first + i);
  return hosts;
}

/// Hosts of workers, by job and rank; empty if jobs cannot be placed.
std::vector<std::vector<std::uint32_t>> hosts_of_jobs(const Scenario& scenario,
                                                      const Network& network) {
  if (!can_be_placed(scenario, network)) return {};
  return worker_machines(scenario, network);
}

/// Hosts that have workers; all hosts if there are no jobs or they cannot be placed.
std::set<std::uint32_t> hosts_of_workers(const Scenario& scenario, const Network& network) {
  std::set<std::uint32_t> hosts;
  for (const auto& of_job : hosts_of_jobs(scenario, network))
    hosts.insert(of_job.begin(), of_job.end());
  return hosts.empty() ? hosts_from(0, network.host_count) : hosts;
}

/// Hosts that have parameter servers of jobs; if none has, all hosts for parameter servers.
std::set<std::uint32_t> hosts_of_servers(const Scenario& scenario, const Network& network) {
  std::set<std::uint32_t> hosts;
  for (std::size_t job = 0; job < scenario.jobs.size(); ++job) {
    const auto of_job = server_machines(scenario, network, job);
    hosts.insert(of_job.begin(), of_job.end());
  }
  return hosts.empty() ? hosts_from(network.host_count, scenario.topology.parameter_servers)
                       : hosts;
}

/// Costs of the trunks between the racks of workers and the root of the job. If switches do not
/// aggregate, the servers' switch replaces the root.
struct WaysOfTrunks {
  double to_root = 0;    ///< ps one way; each trunk with the pipeline of the switch behind it
  double to_server = 0;  ///< ps one way from there to the rack of the most distant server
  /// Least share of a trunk's rate that one sum gets between a worker and its root.
  std::uint64_t slowest_bps = std::numeric_limits<std::uint64_t>::max();
};

/// Lowest rate that remains for one sum if several sums of a fragment cross the same trunk to a
/// root. Each job sends one sum. If the root is a rack's switch, each other rack of the job may
/// send a sum.
std::uint64_t slowest_trunk_bps(const Scenario& scenario, const Network& network,
                                const RootRacks& racks) {
  const std::uint32_t frame = scenario.hosts().frame_bytes();
  const auto cost = [=](const NetworkLink& trunk) {
    return 1 / static_cast<double>(trunk.rate_bps_of(frame));
  };
  const auto jobs = static_cast<double>(scenario.jobs.size());
  double dearest = 0;
  for (const auto& [root, of_workers] : racks.of_workers) {
    const std::size_t branches = of_workers.size() - of_workers.count(root);
    const double sums = network.topology.switches[root].height > 0
                            ? jobs
                            : jobs * static_cast<double>(std::max<std::size_t>(branches, 1));
    dearest = std::max(dearest, sums * network.costliest_trunk(of_workers, root, cost));
  }
  if (dearest == 0) return WaysOfTrunks().slowest_bps;
  return static_cast<std::uint64_t>(std::llround(1 / dearest));
}

/// Maximum over all roots, from the racks of each.
double costliest_path(const Network& network,
                      const std::map<cluster::SwitchIndex, std::set<cluster::SwitchIndex>>& by_root,
                      const Network::Cost& cost) {
  double dearest = 0;
  for (const auto& [root, racks] : by_root) {
    dearest = std::max(dearest, network.costliest_path(racks, root, cost));
  }
  return dearest;
}

WaysOfTrunks ways_of_trunks(const Scenario& scenario, const Network& network) {
  const std::int64_t pipeline = scenario.switch_.pipeline_latency_ps;
  const auto cost = [=](const NetworkLink& trunk) {
    return static_cast<double>(trunk.longest_delay_ps + pipeline);
  };
  WaysOfTrunks ways{network.costliest_path(cost)};
  if (has_distant_server(scenario, network)) ways.to_server = ways.to_root;
  if (!scenario.hosts().traits().has_aggregators) return ways;
  const cluster::RootChoice choice = root_choice(scenario, network);
  const RootRacks racks = racks_by_root(scenario, network, choice);
  ways.slowest_bps = slowest_trunk_bps(scenario, network, racks);
  if (choice == cluster::RootChoice::server_leaf) return ways;
  ways.to_root = costliest_path(network, racks.of_workers, cost);
  ways.to_server = costliest_path(network, racks.of_servers, cost);
  return ways;
}

/// Time from the most distant worker to the answering switch and back, including the worker's host,
/// without queueing.
std::int64_t to_switch_and_back_ps(const Scenario& scenario, const Network& network,
                                   const WaysOfTrunks& ways) {
  const std::int64_t of_worker =
      longest_ps(network, hosts_of_workers(scenario, network), scenario.hosts().frame_bytes());
  return 2 * (of_worker + static_cast<std::int64_t>(ways.to_root)) +
         scenario.switch_.pipeline_latency_ps + further_passes_ps(scenario, network);
}

/// Time from the answering switch to the most distant parameter server and back. If the system has
/// no servers, the time to the most distant worker and back.
std::int64_t beyond_switch_and_back_ps(const Scenario& scenario, const Network& network,
                                       const WaysOfTrunks& ways) {
  std::set<std::uint32_t> hosts;
  if (scenario.hosts().traits().has_servers) hosts = hosts_of_servers(scenario, network);
  if (hosts.empty()) hosts = hosts_of_workers(scenario, network);
  const std::int64_t of_host = longest_ps(network, hosts, scenario.hosts().frame_bytes());
  return 2 * (of_host + static_cast<std::int64_t>(ways.to_server)) +
         scenario.switch_.pipeline_latency_ps;
}

/// The link that limits the fastest job, that is, the slowest link of the job's workers. If there
/// are no jobs or they cannot be placed, the first host's link.
NetworkLink bottleneck(const Scenario& scenario, const Network& network) {
  const std::uint32_t frame = scenario.hosts().frame_bytes();
  const auto rate = [&](std::uint32_t host) { return network.hosts[host].rate_bps_of(frame); };
  std::vector<std::uint32_t> slowest;
  for (const std::vector<std::uint32_t>& of_job : hosts_of_jobs(scenario, network)) {
    if (!of_job.empty()) slowest.push_back(std::ranges::min(of_job, {}, rate));
  }
  if (slowest.empty()) return network.hosts.front();
  return network.hosts[std::ranges::max(slowest, {}, rate)];
}

}  // namespace

std::int64_t further_passes_ps(const Scenario& scenario, const Network& network) {
  if (scenario.switch_.passes == Passes::free) return 0;
  const systems::DataPlane plane = scenario.switches().data_plane();
  std::int64_t passes = plane.completing.verdict.recirculations;
  if (network.topology.racks() > 1) passes += passes + plane.result_at_leaf.verdict.recirculations;
  return passes * scenario.switch_.pass_latency_ps;
}

cluster::Environment environment_of(const Scenario& scenario, const Network& network) {
  const NetworkLink link = bottleneck(scenario, network);
  const std::uint64_t line_bps = link.rate_bps_of(scenario.hosts().frame_bytes());
  const WaysOfTrunks ways = ways_of_trunks(scenario, network);
  const std::int64_t to_switch = to_switch_and_back_ps(scenario, network, ways);
  const std::int64_t beyond = beyond_switch_and_back_ps(scenario, network, ways);
  return {.jobs = std::max(static_cast<std::uint32_t>(scenario.jobs.size()), 1U),
          .aggregators = aggregators_in_memory(scenario),
          .hash = scenario.switch_.hash,
          .line_rate_bps = line_bps,
          .slowest_rate_bps = std::min(line_bps, ways.slowest_bps),
          .framing_bytes = link.line.framing_bytes,
          .to_switch_and_back = Time(to_switch),
          .to_server_and_back = Time(to_switch + beyond),
          .ecn_threshold_bytes = scenario.switch_.ecn_threshold_bytes,
          .seed = scenario.seed};
}

Scenario with_sizes(Scenario scenario, const Network& network) {
  scenario.topology.root = root_choice(scenario, network);
  scenario.systems.hosts(scenario.system).fill_in(environment_of(scenario, network));
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
