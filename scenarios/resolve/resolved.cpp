// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/resolve/resolved.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "hw/cluster/random_stream.hpp"
#include "scenarios/resolve/job_roots.hpp"
#include "scenarios/resolve/link_names.hpp"
#include "scenarios/resolve/sizes.hpp"
#include "scenarios/resolve/time_limit.hpp"
#include "scenarios/resolve/traffic_patterns.hpp"
#include "scenarios/resolve/unloaded_path.hpp"

namespace ina::scenarios {

namespace {

using cluster::JobSpec;
using cluster::LinkFaultsSpec;
using faults::LinkDirection;

constexpr std::size_t kDigestValues = 2;  // 64 bits

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

void check_job(const Scenario& scenario, const Network& network, std::size_t number) {
  const JobScenario& job = scenario.jobs[number];
  if (job.workers == 0 || job.workers > wire::kMaxWorkers) {
    refuse(fmt::format("a job has 1 to {} workers", wire::kMaxWorkers));
  }
  if (job.profile.layers.empty()) refuse("a job needs a model with layers");
  if (job.hosts && job.hosts->size() != job.workers) refuse("a worker has one host");
  if (job.servers.size() > wire::kMaxServers) {
    refuse(fmt::format("a job has at most {} parameter servers", wire::kMaxServers));
  }
  if (job.jitter.range.high_ps < job.jitter.range.low_ps) {
    refuse("the longest jitter is below the shortest one");
  }
  if (!scenario.hosts().traits().has_servers) return;
  if (server_machines(scenario, network, number).size() < server_count(job)) {
    refuse("more jobs than parameter servers, or no such server");
  }
}

/// Subset of the checks that the reader of scenario files makes.
void check(const Scenario& scenario, const Network& network) {
  for (std::size_t job = 0; job < scenario.jobs.size(); ++job) check_job(scenario, network, job);
  if (!can_be_placed(scenario, network)) refuse("more workers than hosts, or no such host");
}

std::shared_ptr<const cluster::System> system_of(const Scenario& scenario) {
  return scenario.systems.with(
      scenario.system, [](const auto& system) -> std::shared_ptr<const cluster::System> {
        return std::make_shared<std::remove_cvref_t<decltype(system)>>(system);
      });
}

/// All workers of a job start together, therefore the start is drawn here.
Time draw_start(const Scenario& scenario, std::size_t job) {
  const TimeRange& range = scenario.jobs[job].start;
  cluster::RandomStream random(first_random_stream(scenario, job), scenario.seed);
  return random.between(Time(range.low_ps), Time(range.high_ps));
}

std::vector<std::uint64_t> line_rates(const Resolved& resolved, std::size_t job) {
  const std::uint32_t frame = resolved.scenario.hosts().frame_bytes();
  std::vector<std::uint64_t> rates;
  for (const HostId worker : resolved.placements.workers[job]) {
    const std::uint32_t machine = resolved.placements.machine_of[worker];
    rates.push_back(resolved.network.hosts[machine].rate_bps_of(frame));
  }
  return rates;
}

cluster::TrainingPlan training_of(const Resolved& resolved, std::size_t number) {
  const Scenario& scenario = resolved.scenario;
  const JobScenario& job = scenario.jobs[number];
  return {.iterations = job.iterations,
          .layers = job.profile.layers,
          .partitions = {job.profile, scenario.hosts().values_per_packet(),
                         scenario.hosts().exponent_slots()},
          .exposed_partitions = cluster::exposed_partitions(job.profile),
          .compute_time_factors = job.compute_time_factors,
          .jitter_low = Time(job.jitter.range.low_ps),
          .jitter_high = Time(job.jitter.range.high_ps),
          .jitter_per = job.jitter.per,
          .line_rates_bps = line_rates(resolved, number),
          .priority_code = scenario.hosts().priority_code(),
          .unloaded_path = unloaded_path(scenario, resolved.network, resolved.placements, number)};
}

JobSpec job_of(const Resolved& resolved, std::size_t number) {
  const Scenario& scenario = resolved.scenario;
  JobSpec job;
  job.profile = scenario.jobs[number].profile.name;
  job.workers = resolved.placements.workers[number];
  if (scenario.hosts().traits().has_servers) job.servers = resolved.placements.servers[number];
  job.gradient_seed = gradient_seed(scenario, number);
  job.start = draw_start(scenario, number);
  job.first_stream = first_random_stream(scenario, number) + 1;
  job.training = training_of(resolved, number);
  return job;
}

/// Number of each partition within its layer, in sending order.
std::vector<std::uint32_t> numbers_within_layers(const ModelProfile& profile,
                                                 const cluster::PartitionPlan& plan) {
  std::vector<std::uint32_t> numbers;
  for (const auto& [layer, number] : profile.send_order) numbers.push_back(number);
  if (!numbers.empty()) return numbers;
  // partitions of each layer so far; they ascend by default
  std::map<std::uint32_t, std::uint32_t> before;
  for (const cluster::PlannedPartition& partition : plan.partitions()) {
    numbers.push_back(++before[partition.layer]);
  }
  return numbers;
}

/// Faults of each direction of each affected link, in the order of the scenario. Their seeds use
/// the random streams after those of the jobs.
std::vector<LinkFaultsSpec> link_faults_of(const Scenario& scenario, const Network& network) {
  std::vector<LinkFaultsSpec> all;
  std::uint64_t stream = first_random_stream(scenario, scenario.jobs.size());
  const auto add = [&](std::optional<HostId> host, std::optional<cluster::TrunkIndex> trunk,
                       const LinkFaultsScenario& faults) {
    LinkFaultsSpec link;
    link.host = host;
    link.trunk = trunk;
    link.faults = faults;
    for (const auto& [direction, other] :
         {std::pair(LinkDirection::to_switch, FaultDirection::from_switch),
          std::pair(LinkDirection::from_switch, FaultDirection::to_switch)}) {
      if (faults.direction == other) continue;
      link.direction = direction;
      link.seed = cluster::RandomStream(stream++, scenario.seed).seed();
      all.push_back(link);
    }
  };
  for (const LinkFaultsScenario& faults : scenario.faults.links) {
    for (std::size_t host = 0; host < network.host_names.size(); ++host) {
      if (!link_matches(faults.link, network.host_names[host])) continue;
      add(static_cast<HostId>(host), {}, faults);
    }
    for (std::size_t trunk = 0; trunk < network.trunk_names.size(); ++trunk) {
      if (!link_matches(faults.link, network.trunk_names[trunk])) continue;
      add({}, static_cast<cluster::TrunkIndex>(trunk), faults);
    }
  }
  return all;
}

std::uint16_t switch_struck_by(const NodeFaultScenario& fault, const cluster::Topology& topology) {
  if (fault.switch_ == kNone) return topology.of_servers();
  const auto found =
      std::ranges::find(topology.switches, fault.switch_, &cluster::Topology::Switch::name);
  if (found == topology.switches.end()) refuse("no switch is called " + fault.switch_);
  return static_cast<std::uint16_t>(found - topology.switches.begin());
}

std::uint32_t link_struck_by(const NodeFaultScenario& fault, const Network& network) {
  if (fault.fault != faults::NodeFault::link_fails) return 0;
  const std::vector<std::string> names = network.link_names();
  const auto found = std::ranges::find(names, fault.link);
  if (found == names.end()) refuse("no link is called " + fault.link);
  return static_cast<std::uint32_t>(found - names.begin());
}

std::vector<faults::PlannedNodeFault> node_faults_of(const Scenario& scenario,
                                                     const Network& network) {
  std::vector<faults::PlannedNodeFault> planned;
  for (const NodeFaultScenario& fault : scenario.faults.nodes) {
    planned.push_back(
        {fault, switch_struck_by(fault, network.topology), link_struck_by(fault, network)});
  }
  return planned;
}

cluster::Spec spec_of(const Resolved& resolved) {
  const Scenario& scenario = resolved.scenario;
  cluster::Spec spec;
  spec.system = system_of(scenario);
  spec.environment = environment_of(scenario, resolved.network);
  spec.buffer_bytes = scenario.switch_.buffer_bytes;
  spec.topology = placed_topology(resolved.network.topology, resolved.placements);
  spec.parameter_servers = scenario.topology.parameter_servers;
  spec.root = root_choice(scenario, resolved.network);
  for (std::size_t number = 0; number < scenario.jobs.size(); ++number) {
    spec.jobs.push_back(job_of(resolved, number));
  }
  cluster::number_jobs(spec);
  spec.link_faults = link_faults_of(scenario, resolved.network);
  spec.node_faults = node_faults_of(scenario, resolved.network);
  return spec;
}

std::size_t carried_values_of(const Scenario& scenario) {
  switch (scenario.payload) {
    case Payload::none:
      return 0;
    case Payload::digest:
      return kDigestValues;
    case Payload::values:
      break;
  }
  return scenario.hosts().values_per_packet();
}

}  // namespace

cluster::Spec Resolved::for_processes() const {
  std::set<HostId> hosts;
  std::set<cluster::SwitchIndex> racks{spec.topology.of_servers()};
  for (const JobSpec& job : spec.jobs) {
    hosts.insert(job.workers.begin(), job.workers.end());
    hosts.insert(job.servers.begin(), job.servers.end());
    for (const HostId host : job.workers) racks.insert(spec.topology.switch_of[host]);
  }
  const auto is_used = [&](cluster::SwitchIndex at) {
    return spec.topology.switches[at].height > 0 || racks.contains(at);
  };
  const auto takes_no_part = [&](const LinkFaultsSpec& faults) {
    if (faults.host) return !hosts.contains(*faults.host);
    const cluster::Topology::Trunk& trunk = spec.topology.trunks[*faults.trunk];
    return !is_used(trunk.lower) || !is_used(trunk.upper);
  };
  cluster::Spec all = spec;
  std::erase_if(all.link_faults, takes_no_part);
  return all;
}

Resolved resolve(const Scenario& scenario) {
  Network network(scenario.topology, scenario.seed);
  check(scenario, network);
  Scenario sized = with_sizes(scenario, network);
  Resolved resolved{.scenario = std::move(sized),
                    .network = std::move(network),
                    .placements = {},
                    .spec = {},
                    .partition_numbers = {},
                    .carried_values = 0,
                    .time_limit_ps = 0,
                    .traffic = {},
                    .traffic_machines = {}};
  resolved.placements = placements_of(resolved.scenario, resolved.network);
  resolved.spec = spec_of(resolved);
  for (std::size_t job = 0; job < scenario.jobs.size(); ++job) {
    resolved.partition_numbers.push_back(numbers_within_layers(
        scenario.jobs[job].profile, resolved.spec.jobs[job].training.partitions));
  }
  resolved.carried_values = carried_values_of(resolved.scenario);
  resolved.time_limit_ps = time_limit(resolved.scenario, resolved.network);
  resolved.traffic = traffic_patterns(resolved.scenario, resolved.network);
  resolved.traffic_machines = machines_of(resolved.traffic);
  return resolved;
}

}  // namespace ina::scenarios
