// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/scenario_sizes.hpp"

#include "hw/protocol/transport/worker_transport.hpp"
#include "scenarios/reader/topologies.hpp"

namespace ina::scenarios {

namespace {

constexpr std::uint64_t kValueBytes = 4;

/// From a worker to the switch that answers, which with racks is the parameter servers', and back,
/// without queues.
std::int64_t to_switch_and_back_ps(const Scenario& scenario) {
  const std::int64_t pipeline = scenario.switch_.pipeline_latency_ps;
  std::int64_t one_way = scenario.topology.link.delay_ps;
  for (const LinkScenario& trunk : trunks_to_server(scenario.topology)) {
    one_way += trunk.delay_ps + pipeline;
  }
  return 2 * one_way + pipeline;
}

/// To the parameter server.
std::int64_t to_server_and_back_ps(const Scenario& scenario) {
  return to_switch_and_back_ps(scenario) + 2 * scenario.topology.link.delay_ps +
         scenario.switch_.pipeline_latency_ps;
}

}  // namespace

cluster::Environment environment_of(const Scenario& scenario) {
  const LinkScenario& link = scenario.topology.link;
  return {.jobs = static_cast<std::uint32_t>(scenario.jobs.size()),
          .aggregators = aggregators_in_memory(scenario),
          .hash = scenario.switch_.hash,
          .line_rate_bps = link.rate_bps,
          .framing_bytes = link.framing_bytes,
          .to_switch_and_back = Time(to_switch_and_back_ps(scenario)),
          .to_server_and_back = Time(to_server_and_back_ps(scenario)),
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
    const auto with_values = (bytes / kValueBytes + values - 1) / values;
    return with_values + exponent_lead_of(with_values, slots);
  };
  std::uint64_t total = 0;
  for (const auto& layer : profile.layers) {
    const auto bytes = layer.parameters * kValueBytes;
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
