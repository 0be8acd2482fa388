/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_FINISHED_RUNS_H
#define INA_FINISHED_RUNS_H

#include "hw/fields/strict_json.hpp"
#include "scenarios/reader/experiment.hpp"

#include <filesystem>

namespace ns3
{

/** What a run is a run of, as its manifest says: the values of the swept keys, which stand in its
 * tables, also as numbers, and its scenario, seed included. */
ina::scenarios::Json RunOf(const ina::scenarios::ExperimentPoint& point);

/** True if `folder` holds the whole results of this very run from this build (build-info.h). */
bool HasRunResults(const std::filesystem::path& folder,
                   const ina::scenarios::ExperimentPoint& point);

/** Throws ResultFolderError if the result folder holds a run that is none of this experiment's,
 * whatever its seed and build, or a manifest of an unknown format, or runs on real packets, or
 * something else where the tables go: the experiment would replace them, or write its tables beside
 * them. */
void CheckOtherBuildsRuns(const std::filesystem::path& folder,
                          const ina::scenarios::Experiment& experiment);

/** Throws ResultFolderError if the result folder holds a run of another build. */
void CheckBuildOfRuns(const std::filesystem::path& folder);

/** Removes all runs of other builds, and before them the tables that were put together from them.
 * So the folder holds either these runs or new ones, also if that is interrupted. */
void RemoveRunsOfOtherBuilds(const std::filesystem::path& folder);

} // namespace ns3

#endif // INA_FINISHED_RUNS_H
