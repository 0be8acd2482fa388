/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_CLUSTER_PLAN_H
#define INA_CLUSTER_PLAN_H

#include "hw/cluster/systems/system.hpp"
#include "hw/fields/strict_json.hpp"
#include "scenarios/reader/experiment.hpp"

#include <optional>
#include <string>

namespace ns3
{

/**
 * The scenario of a run, whose system keeps within the limits, if there are any; their workers are
 * counted here.
 */
ina::scenarios::Scenario LimitedScenario(const ina::scenarios::ExperimentPoint& point,
                                         const std::optional<ina::cluster::ProcessLimits>& limits);

/** Throws InputError for `file` if the experiment in it is one of which there are no processes:
 * several workers or parameter servers are at one place; there is other traffic; the topology is a
 * rail or a graph, or has links of their own. */
void CheckForTestbed(const std::string& file, const ina::scenarios::Experiment& experiment);

/**
 * An experiment for whoever runs it on real packets: what the manifest says of it and of each of
 * its runs, and for each run the cells that name it in every row of its tables and, within the
 * limits, the cluster file that the programs of hw/dpdk read (hw/README.md). `file`: of the
 * experiment. Throws as CheckForTestbed(), and if links or switches fail for good.
 */
ina::scenarios::Json PlanOf(const std::string& file,
                            const ina::scenarios::Experiment& experiment,
                            const std::optional<ina::cluster::ProcessLimits>& limits);

} // namespace ns3

#endif // INA_CLUSTER_PLAN_H
