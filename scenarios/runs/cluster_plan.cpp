// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/runs/cluster_plan.hpp"

#include <tuple>
#include <utility>

#include "scenarios/resolve/resolved.hpp"
#include "scenarios/results/point_cells.hpp"
#include "scenarios/runs/experiment_results.hpp"
#include "scenarios/runs/finished_runs.hpp"
#include "switch-models/systems/planned_trees.hpp"

namespace ina::runs {

using namespace scenarios;

Scenario limited_scenario(const ExperimentPoint& point,
                          const std::optional<cluster::ProcessLimits>& limits) {
  Scenario scenario = point.with_seed();
  if (limits) {
    cluster::ProcessLimits all = *limits;
    all.workers = 0;
    for (const JobScenario& job : scenario.jobs) all.workers += job.workers;
    scenario.systems.hosts(scenario.system).limit(all);
  }
  return scenario;
}

namespace {

void check_faults(const std::string& file, const Experiment& experiment) {
  for (const ExperimentPoint& point : experiment.points) {
    const auto& faults = point.combination->faults.nodes;
    for (std::size_t i = 0; i < faults.size(); ++i) {
      if (faults[i].switch_ != scenarios::kNone && !faults::is_for_good(faults[i].fault)) {
        throw InputError(file, pointer_to(pointer_to("/faults/nodes", i), "switch"),
                         fmt::format("found \"{}\"; allowed on real packets: no such key, since "
                                     "only the parameter servers' switch can reboot",
                                     faults[i].switch_));
      }
      if (faults::is_for_good(faults[i].fault)) {
        throw InputError(file, pointer_to(pointer_to("/faults/nodes", i), "fault"),
                         fmt::format("found \"{}\"; allowed on real packets: faults of workers, "
                                     "parameter servers and jobs, and reboots of the switch",
                                     faults::name_of(faults[i].fault)));
      }
    }
  }
}

/// A scenario cannot set the delays of real links and hosts.
void check_links_and_hosts(const std::string& file, const TopologyScenario& topology) {
  const TopologyScenario defaults;
  for (const auto& [key, link, its_default] :
       {std::tuple("link", &topology.link, &defaults.link),
        std::tuple("uplink", &topology.uplink, &defaults.uplink),
        std::tuple("core", &topology.core, &defaults.core)}) {
    if (link->delay_spread_ps <= its_default->delay_spread_ps) continue;
    throw InputError(
        file, pointer_to(pointer_to("/topology", key), "delay_spread"),
        fmt::format("found {}; allowed on real packets: at most {}, since links have the machine's "
                    "own delays",
                    format_time(link->delay_spread_ps), format_time(its_default->delay_spread_ps)));
  }
  for (const auto& [key, host] :
       {std::pair("host", &topology.host), std::pair("server", &topology.server)}) {
    if (!host->stage.is_on()) continue;
    throw InputError(
        file, pointer_to("/topology", key),
        "found times of packets; allowed on real packets: none, since hosts take their own time");
  }
}

/// The programs' buffers and the testbed's interfaces are made for frames of an MTU.
void check_frames(const std::string& file, const Scenario& scenario) {
  constexpr std::uint16_t kMostBytes = frame_bytes(wire::Format::switchml, 366);
  const std::uint16_t bytes = scenario.hosts().frame_bytes();
  if (bytes <= kMostBytes) return;
  throw InputError(
      file, pointer_to(pointer_to("", cluster::name_of(scenario.system)), "values_per_packet"),
      fmt::format("found {}, which make frames of {} bytes; allowed on real packets: frames of at "
                  "most {} bytes",
                  scenario.hosts().values_per_packet(), bytes, kMostBytes));
}

}  // namespace

void check_for_testbed(const std::string& file, const Experiment& experiment) {
  for (const ExperimentPoint& point : experiment.points) {
    const Scenario& scenario = *point.combination;
    const Network network(scenario.topology, point.seed);
    if (placements_of(scenario, network).are_shared(network)) {
      throw InputError(file, "/jobs",
                       "found several workers or parameter servers on one host; allowed on real "
                       "packets: one per host");
    }
    if (!scenario.traffic.flows.empty()) {
      throw InputError(
          file, "/traffic/flows",
          "found flows; allowed on real packets: none (start other senders separately)");
    }
    const TopologyType type = scenario.topology.type;
    if (type == TopologyType::rail || type == TopologyType::graph) {
      throw InputError(
          file, "/topology/type",
          fmt::format(
              "found \"{}\"; allowed on real packets: \"star\", \"leaf_spine\", \"fat_tree\"",
              name_of(type)));
    }
    if (!scenario.topology.links.empty()) {
      throw InputError(file, "/topology/links",
                       "found settings of links; allowed on real packets: none, since links are as "
                       "fast as the machine");
    }
    check_links_and_hosts(file, scenario.topology);
    check_frames(file, scenario);
  }
}

Json plan_of(const std::string& file, const Experiment& experiment,
             const std::optional<cluster::ProcessLimits>& limits, const Json& build) {
  check_for_testbed(file, experiment);
  check_faults(file, experiment);
  Json plan = description_of(experiment, build);
  plan["runs"] = Json::array();
  for (const ExperimentPoint& point : experiment.points) {
    Json run;
    run["point"] = point.index;
    run["system"] = cluster::name_of(point.combination->system);
    run["seed"] = point.seed;
    run.update(identity_of(point));
    for (const auto& [column, cell] : results::cells_of(point)) run["cells"][column] = cell;
    const Resolved resolved = resolve(limited_scenario(point, limits));
    const cluster::Spec spec = resolved.for_processes();
    run["time_limit_ps"] = resolved.time_limit_ps;
    run["cluster"] = cluster::write_spec(spec, systems::all_settings());
    run["trees"] = systems::planned_trees(spec);
    plan["runs"].push_back(run);
  }
  return plan;
}

}  // namespace ina::runs
