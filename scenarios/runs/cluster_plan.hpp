// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "hw/cluster/systems/system.hpp"
#include "hw/fields/strict_json.hpp"
#include "scenarios/reader/experiment.hpp"

namespace ina::runs {

/// The scenario of a run, with the settings of its system adjusted to the limits, if there are any.
/// The number of workers in `limits` is ignored, since it follows from the scenario.
scenarios::Scenario limited_scenario(const scenarios::ExperimentPoint& point,
                                     const std::optional<cluster::ProcessLimits>& limits);

/// Throws InputError for `file` if the experiment uses features that a run on real packets does not
/// support: several workers or parameter servers on one host, background traffic, a rail or graph
/// topology, topology.links, delays with a spread, or processing times of hosts.
void check_for_testbed(const std::string& file, const scenarios::Experiment& experiment);

/// The plan for an experiment on real packets: the experiment's description and, for each run, the
/// run's identity, its cells in tables (PointCells), and the cluster file for the programs of
/// hw/dpdk (hw/README.md), adjusted to the limits. `file`: the experiment's file; `build`:
/// Build::info. Throws like check_for_testbed(), and if links or switches fail permanently.
scenarios::Json plan_of(const std::string& file, const scenarios::Experiment& experiment,
                        const std::optional<cluster::ProcessLimits>& limits,
                        const scenarios::Json& build);

}  // namespace ina::runs
