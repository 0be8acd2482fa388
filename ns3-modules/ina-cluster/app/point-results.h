/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_POINT_RESULTS_H
#define INA_POINT_RESULTS_H

#include "ns3/cluster-run.h"
#include "ns3/experiment.h"

#include <array>
#include <filesystem>

namespace ns3
{

/// The tables of a result folder; analysis/README.md explains their columns.
inline constexpr std::array<const char*, 4> RESULT_TABLES = {"jobs.csv",
                                                             "iterations.csv",
                                                             "switch.csv",
                                                             "links.csv"};

/** "dsa", "switchml-starved" ... as in scenarios. */
const char* SystemName(System system);

/** Writes the tables and the manifest of one run into `folder`, which must exist. Throws
 * std::runtime_error. */
void WriteRunResults(const std::filesystem::path& folder,
                     const ExperimentPoint& point,
                     const RunResult& result,
                     double wallSeconds);

} // namespace ns3

#endif // INA_POINT_RESULTS_H
