/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_CLUSTER_PLAN_H
#define INA_CLUSTER_PLAN_H

#include "hw/fields/strict_json.hpp"
#include "scenarios/reader/experiment.hpp"

namespace ns3
{

/**
 * An experiment for whoever runs it on real packets: what the manifest says of it and of each of
 * its runs, and for each run the cluster file that the programs of hw/dpdk read (hw/README.md).
 */
ina::scenarios::Json PlanOf(const ina::scenarios::Experiment& experiment);

} // namespace ns3

#endif // INA_CLUSTER_PLAN_H
