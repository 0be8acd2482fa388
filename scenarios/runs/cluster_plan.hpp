// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "hw/cluster/systems/system.hpp"
#include "hw/fields/strict_json.hpp"
#include "scenarios/reader/experiment.hpp"

namespace ina::runs {

/// The scenario of a run, with its system held within the limits, if any. The number of workers in
/// `limits` is ignored: it follows from the scenario.
scenarios::Scenario limited_scenario(const scenarios::ExperimentPoint& point,
                                     const std::optional<cluster::ProcessLimits>& limits);

/// Throws InputError for `file` if the experiment uses features that processes on real packets do
/// not have: several workers or parameter servers on one host, other traffic, a rail or graph
/// topology, links with keys of their own, delays with a spread, or times of packets in hosts.
void check_for_testbed(const std::string& file, const scenarios::Experiment& experiment);

/// The plan for running an experiment on real packets: its description and, for each run, its
/// identity, the cells that name it in every row of its tables, and, within the limits, the cluster
/// file that the programs of hw/dpdk read (hw/README.md). `file`: the experiment's. `build`:
/// Build::info. Throws as check_for_testbed() does, and if links or switches fail permanently.
scenarios::Json plan_of(const std::string& file, const scenarios::Experiment& experiment,
                        const std::optional<cluster::ProcessLimits>& limits,
                        const scenarios::Json& build);

}  // namespace ina::runs
