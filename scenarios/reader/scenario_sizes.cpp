// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/scenario_sizes.hpp"

#include <algorithm>
#include <vector>

#include "hw/protocol/transport/worker_transport.hpp"
#include "hw/protocol/units.hpp"
#include "scenarios/reader/cluster_links.hpp"
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

/// From the most distant worker to the switch that answers, which with racks is the parameter
/// servers', and back, without queues.
std::int64_t to_switch_and_back_ps(const Scenario& scenario, const ClusterLinks& links) {
  const std::int64_t pipeline = scenario.switch_.pipeline_latency_ps;
  const auto of_trunk = [=](const ClusterLink& trunk) {
    return static_cast<double>(trunk.line.delay_ps + pipeline);
  };
  const auto trunks = static_cast<std::int64_t>(links.dearest_way(of_trunk));
  const std::uint32_t hosts = host_count(scenario.topology);
  return 2 * (longest_delay_ps(links, 0, hosts) + trunks) + pipeline;
}

/// To the parameter server; if there is none, to a host beside it.
std::int64_t to_server_and_back_ps(const Scenario& scenario, const ClusterLinks& links) {
  const std::uint32_t hosts = host_count(scenario.topology);
  const std::uint32_t servers = scenario.topology.parameter_servers;
  const std::int64_t of_server =
      servers == 0 ? scenario.topology.link.delay_ps : longest_delay_ps(links, hosts, servers);
  const std::int64_t to_switch = to_switch_and_back_ps(scenario, links);
  const std::int64_t beyond = 2 * of_server + scenario.switch_.pipeline_latency_ps;
  return to_switch + (has_distant_server(scenario, links.topology) ? to_switch : beyond);
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

}  // namespace

cluster::Environment environment_of(const Scenario& scenario) {
  const ClusterLinks links(scenario.topology);
  const ClusterLink link = bottleneck(scenario, links);
  return {.jobs = std::max(static_cast<std::uint32_t>(scenario.jobs.size()), 1U),
          .aggregators = aggregators_in_memory(scenario),
          .hash = scenario.switch_.hash,
          .line_rate_bps = link.rate_bps_of(scenario.hosts().frame_bytes()),
          .framing_bytes = link.line.framing_bytes,
          .to_switch_and_back = Time(to_switch_and_back_ps(scenario, links)),
          .to_server_and_back = Time(to_server_and_back_ps(scenario, links)),
          .ecn_threshold_bytes = scenario.switch_.ecn_threshold_bytes,
          .seed = scenario.seed};
}

Scenario with_sizes(Scenario scenario) {
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
