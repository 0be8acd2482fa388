// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/place_check.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <optional>
#include <set>

#include "hw/fields/counted.hpp"
#include "hw/fields/strict_json.hpp"
#include "hw/protocol/wire/aggregation_path.hpp"
#include "scenarios/keys/scenario_fields.hpp"
#include "scenarios/resolve/job_roots.hpp"
#include "scenarios/resolve/link_names.hpp"
#include "scenarios/resolve/placement.hpp"
#include "scenarios/resolve/topologies.hpp"

namespace ina::scenarios {

namespace {

void check_named_hosts(const Scenario& scenario, const Network& network,
                       const std::vector<std::string>& places, const ScenarioDocument& document) {
  const std::uint32_t hosts = network.host_count;
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    const auto named = scenario.jobs[j].hosts.value_or(std::vector<std::uint32_t>());
    for (std::size_t rank = 0; rank < named.size(); ++rank) {
      if (named[rank] < hosts) continue;
      document.fail(pointer_to(pointer_to(places[j], "hosts"), rank),
                    fmt::format("found host {}, but the topology has {}; allowed: 0 to {}",
                                named[rank], counted(hosts, "host"), hosts - 1));
    }
  }
}

/// Checks that jobs without "hosts" find enough hosts that no other job names.
void check_hosts(const Scenario& scenario, const Network& network,
                 const std::vector<std::string>& places, const ScenarioDocument& document) {
  const std::size_t left = unnamed_hosts(scenario, network).size();
  std::uint64_t workers = 0;
  std::size_t jobs = 0;
  std::string too_many;
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    if (scenario.jobs[j].hosts) continue;
    ++jobs;
    workers += scenario.jobs[j].workers;
    too_many = workers > left && too_many.empty() ? places[j] : too_many;
  }
  if (too_many.empty()) return;
  const bool all = jobs == scenario.jobs.size();
  document.fail(
      pointer_to(too_many, "workers"),
      fmt::format(
          "found {} in {}{}, but the topology has {}{}; allowed: at most one worker per host",
          counted(workers, "worker"), counted(jobs, "job"), all ? "" : " without \"hosts\"",
          counted(left, "host"), all ? "" : " that no job names"));
}

void check_named_server(const TopologyScenario& topology, const std::string& name,
                        const std::string& place, const ScenarioDocument& document) {
  if (find_machine(topology, name)) return;
  const std::string servers =
      topology.parameter_servers == 0
          ? ""
          : fmt::format(", or one of {}, such as \"{}\"",
                        counted(topology.parameter_servers, "parameter server"),
                        server_link_name(0));
  document.fail(place, fmt::format("found \"{}\"; allowed: one of {}, such as \"{}\"{}",
                                   shorten(name), counted(host_count(topology), "host"),
                                   host_link_name(topology, 0), servers));
}

/// Checks that each job has a server: the one that the job names, or the one with the job's number.
void check_parameter_servers(const Scenario& scenario, const std::vector<std::string>& places,
                             const ScenarioDocument& document) {
  const std::uint32_t servers = scenario.topology.parameter_servers;
  const bool are_needed = scenario.hosts().traits().has_servers;
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    const std::vector<std::string>& names = scenario.jobs[j].servers;
    const std::string place = pointer_to(places[j], "server");
    for (std::size_t i = 0; i < names.size(); ++i) {
      check_named_server(scenario.topology, names[i],
                         names.size() == 1 ? place : pointer_to(place, i), document);
    }
    if (names.empty() && are_needed && j >= servers) {
      document.fail("/jobs",
                    fmt::format("found {}, but the topology has {}; allowed: one job per parameter "
                                "server, unless a job names its \"server\", which job {} does not",
                                counted(scenario.jobs.size(), "job"),
                                counted(servers, "parameter server"), j));
    }
  }
}

/// Checks the number of addresses. Every worker and parameter server has an address, even on a
/// shared host.
void check_addresses(const Scenario& scenario, const Network& network,
                     const ScenarioDocument& document) {
  constexpr std::uint64_t kAddresses = kAllWorkers;
  std::uint64_t most = network.hosts.size();
  for (const JobScenario& job : scenario.jobs) {
    most += server_count(job) + (job.hosts ? job.hosts->size() : 0);
  }
  if (most > kAddresses) {
    document.fail("/jobs", fmt::format("found {} addresses of hosts, of workers on named "
                                       "\"hosts\", and of parameter servers; allowed: at most {}",
                                       most, kAddresses));
  }
}

/// Checks the number of possible event sources of the simulator. Each worker and each parameter
/// server is a source, and so is each direction of a link. If frames may be delayed, a direction
/// counts twice.
void check_event_sources(const Scenario& scenario, const Network& network,
                         const ScenarioDocument& document) {
  constexpr std::uint64_t kMostSources = 65'000;
  const bool reorders = std::ranges::any_of(
      scenario.faults.links, [](const auto& faults) { return faults.reordering > 0; });
  const std::uint64_t links = network.trunks.size() + network.hosts.size();
  std::uint64_t applications = 0;
  for (const JobScenario& job : scenario.jobs) applications += job.workers + server_count(job);
  const bool has_traffic = !scenario.traffic.flows.empty();  // more sources per link
  const std::uint64_t of_a_link = (reorders || has_traffic ? 4U : 2U) + (has_traffic ? 4U : 0U);
  if (of_a_link * links + applications <= kMostSources) return;
  document.fail("/topology",
                fmt::format("found {}, and {} workers and parameter servers of jobs; allowed: {} x "
                            "links + workers + parameter servers up to {}",
                            counted(links, "link"), applications, of_a_link, kMostSources));
}

/// Returns one of the possible roots of a job. All of them have equally many branches.
std::uint16_t check_root(const Scenario& scenario, const Network& network, std::size_t job,
                         const std::vector<std::uint16_t>& racks, const std::string& place,
                         const ScenarioDocument& document) {
  const cluster::SystemTraits& traits = scenario.hosts().traits();
  if (!traits.has_aggregators) return network.topology.of_servers();
  std::vector<std::uint16_t> of_servers;
  if (traits.has_servers) {
    for (const std::uint32_t machine : server_machines(scenario, network, job)) {
      of_servers.push_back(network.topology.switch_of[machine]);
    }
  }
  const auto roots =
      cluster::find_roots(network.topology, root_choice(scenario, network), racks, of_servers);
  if (roots.empty()) {
    document.fail(pointer_to(place, "server"), cluster::why_no_root(network.topology, job));
  }
  return roots.front();
}

/// Suggests another "root" if that reduces the number of branches.
std::string advice_for_branches(const Scenario& scenario, const Network& network,
                                const std::vector<std::uint16_t>& racks) {
  const std::size_t count = std::set(racks.begin(), racks.end()).size();
  const bool helps = root_choice(scenario, network) == cluster::RootChoice::server_leaf &&
                     scenario.topology.type != TopologyType::star && count <= wire::kMaxBranches;
  return helps ? R"(, for example with "spine" for "root", where each rack is one branch)" : "";
}

/// Checks the number of bits in bitmaps. One bitmap has a bit per worker under a switch, the other
/// a bit per branch at the root.
void check_bitmaps(const Scenario& scenario, const Network& network,
                   const std::vector<std::string>& places, const ScenarioDocument& document) {
  const std::vector<std::vector<std::uint32_t>> machines = worker_machines(scenario, network);
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    std::vector<std::uint16_t> racks(machines[j].size());
    std::ranges::transform(machines[j], racks.begin(), [&](std::uint32_t machine) {
      return network.topology.switch_of[machine];
    });
    const std::uint16_t root = check_root(scenario, network, j, racks, places[j], document);
    const auto found = wire::find_too_many(racks, root, scenario.hosts().levels());
    if (!found) continue;
    const std::string what =
        found->rack
            ? fmt::format(
                  "found {} under {}; allowed: at most {} of a job under one switch (the bits of a "
                  "bitmap)",
                  counted(found->count, "worker"), network.topology.switches[*found->rack].name,
                  wire::kMaxWorkersPerSwitch)
            : fmt::format(
                  "found {} branches at {}, the root of the job's tree: one for each other rack, "
                  "and one for each worker there; allowed: at most {} (the bits of a bitmap){}",
                  found->count, network.topology.switches[root].name, wire::kMaxBranches,
                  advice_for_branches(scenario, network, racks));
    document.fail(pointer_to(places[j], "workers"), what);
  }
}

}  // namespace

void check_places(const Scenario& scenario, const Network& network,
                  const std::vector<std::string>& places, const ScenarioDocument& document) {
  check_named_hosts(scenario, network, places, document);
  check_hosts(scenario, network, places, document);
  check_parameter_servers(scenario, places, document);
  check_addresses(scenario, network, document);
  check_event_sources(scenario, network, document);
  check_bitmaps(scenario, network, places, document);
}

}  // namespace ina::scenarios
