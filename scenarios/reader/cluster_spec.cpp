// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/cluster_spec.hpp"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "hw/cluster/random_stream.hpp"
#include "scenarios/reader/job_roots.hpp"
#include "scenarios/reader/link_names.hpp"
#include "scenarios/reader/placement.hpp"
#include "scenarios/reader/scenario_sizes.hpp"
#include "scenarios/reader/topologies.hpp"

namespace ina::scenarios {

namespace {

using cluster::JobSpec;
using cluster::LinkFaultsSpec;
using faults::LinkDirection;

std::shared_ptr<const cluster::System> system_of(const Scenario& scenario) {
  return scenario.systems.with(
      scenario.system, [](const auto& system) -> std::shared_ptr<const cluster::System> {
        return std::make_shared<std::remove_cvref_t<decltype(system)>>(system);
      });
}

/// Drawn here, for all workers of a job start together.
Time draw_start(const Scenario& scenario, std::size_t job) {
  const TimeRange& range = scenario.jobs[job].start;
  cluster::RandomStream random(first_random_stream(scenario, job), scenario.seed);
  return random.between(Time(range.low_ps), Time(range.high_ps));
}

cluster::TrainingPlan training_of(const Scenario& scenario, const JobScenario& job) {
  cluster::TrainingPlan plan;
  plan.iterations = job.iterations;
  for (const LayerProfile& layer : job.profile.layers) {
    plan.layers.push_back({.name = {},
                           .parameters = layer.parameters,
                           .forward_ps = layer.forward_ps,
                           .backward_ps = layer.backward_ps});
  }
  plan.partitions = {job.profile, scenario.hosts().values_per_packet(),
                     scenario.hosts().exponent_slots()};
  plan.compute_time_factors = job.compute_time_factors;
  plan.jitter_low = Time(job.jitter.range.low_ps);
  plan.jitter_high = Time(job.jitter.range.high_ps);
  plan.jitter_per = job.jitter.per;
  return plan;
}

JobSpec job_of(const Scenario& scenario, std::size_t number, const Places& places) {
  JobSpec job;
  job.profile = scenario.jobs[number].profile.name;
  job.workers = places.workers[number];
  if (scenario.hosts().traits().has_servers) job.servers = places.servers[number];
  job.gradient_seed = gradient_seed(scenario, number);
  job.start = draw_start(scenario, number);
  job.first_stream = first_random_stream(scenario, number) + 1;
  job.training = training_of(scenario, scenario.jobs[number]);
  return job;
}

/// A link that faults may strike.
struct NamedLink {
  std::optional<HostId> host;
  std::optional<cluster::TrunkIndex> trunk;
  std::string name;
};

/// The links that take part in the run: of hosts by job, workers first, then those between
/// switches, unless one is of a rack without any of these.
std::vector<NamedLink> links_of(const cluster::Spec& spec, const TopologyScenario& topology) {
  std::vector<NamedLink> links;
  std::set<cluster::SwitchIndex> racks{spec.topology.of_servers()};
  for (const JobSpec& job : spec.jobs) {
    for (const HostId host : job.workers) {
      links.push_back({host, {}, machine_link_name(topology, host)});
      racks.insert(spec.topology.switch_of[host]);
    }
    if (!spec.has_servers()) continue;
    for (const HostId host : job.servers) {
      links.push_back({host, {}, machine_link_name(topology, host)});
    }
  }
  const auto takes_part = [&](cluster::SwitchIndex at) {
    return spec.topology.switches[at].height > 0 || racks.contains(at);
  };
  const std::vector<std::string> names = trunk_names(topology, spec.topology);
  for (cluster::TrunkIndex i = 0; i < names.size(); ++i) {
    const cluster::Topology::Trunk& trunk = spec.topology.trunks[i];
    if (takes_part(trunk.lower) && takes_part(trunk.upper)) links.push_back({{}, i, names[i]});
  }
  return links;
}

faults::LinkFaults::Config faults_of(const LinkFaultsScenario& faults) {
  return {.classes = faults.frames,
          .from = Time(faults.from_ps),
          .until = Time(faults.until_ps),
          .lost_frames = faults.lost_frames,
          .loss = faults.loss,
          .burst_start = faults.burst.start,
          .burst_end = faults.burst.end,
          .burst_mean_duration = Time(faults.burst.mean_duration_ps),
          .burst_loss = faults.burst.loss,
          .corruption = faults.corruption,
          .duplication = faults.duplication,
          .reordering = faults.reordering,
          .reordering_delay = Time(faults.reordering_delay_ps)};
}

/// One for each direction of each link that takes part in the run.
std::vector<LinkFaultsSpec> link_faults_of(const Scenario& scenario, const cluster::Spec& spec) {
  const std::vector<NamedLink> links = links_of(spec, scenario.topology);
  std::vector<LinkFaultsSpec> all;
  std::uint64_t seed = gradient_seed(scenario, scenario.jobs.size());
  const auto add = [&](const NamedLink& link, LinkDirection direction,
                       const LinkFaultsScenario& faults) {
    all.push_back({link.host, link.trunk, direction, seed++, faults_of(faults)});
  };
  for (const LinkFaultsScenario& faults : scenario.faults.links) {
    for (const NamedLink& link : links) {
      if (!link_matches(faults.link, link.name)) continue;
      if (faults.direction != FaultDirection::from_switch)
        add(link, LinkDirection::to_switch, faults);
      if (faults.direction != FaultDirection::to_switch)
        add(link, LinkDirection::from_switch, faults);
    }
  }
  return all;
}

faults::PlannedNodeFault node_fault_of(const NodeFaultScenario& fault) {
  faults::PlannedNodeFault planned{.fault = fault.fault,
                                   .at = Time(fault.at_ps),
                                   .duration = Time(fault.duration_ps),
                                   .job = fault.job};
  if (faults::strikes_worker(fault.fault)) {
    planned.worker = static_cast<std::uint16_t>(fault.worker);
  }
  if (faults::strikes_server(fault.fault)) {
    planned.server = static_cast<std::uint16_t>(fault.server);
  }
  return planned;
}

}  // namespace

cluster::Spec cluster_spec(const Scenario& scenario) {
  cluster::Spec spec;
  spec.system = system_of(scenario);
  spec.environment = environment_of(scenario);
  spec.buffer_bytes = scenario.switch_.buffer_bytes;
  spec.topology = topology_of(scenario.topology);
  spec.parameter_servers = scenario.topology.parameter_servers;
  spec.root = root_choice(scenario, spec.topology);
  const Places places = places_of(scenario);
  for (std::size_t number = 0; number < scenario.jobs.size(); ++number) {
    spec.jobs.push_back(job_of(scenario, number, places));
  }
  spec.link_faults = link_faults_of(scenario, spec);
  for (const NodeFaultScenario& fault : scenario.faults.nodes) {
    spec.node_faults.push_back(node_fault_of(fault));
  }
  cluster::fill_in(spec);
  return spec;
}

}  // namespace ina::scenarios
