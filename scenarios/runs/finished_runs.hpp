// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "hw/fields/strict_json.hpp"
#include "scenarios/reader/experiment.hpp"
#include "scenarios/runs/build.hpp"

namespace ina::runs {

/// The part of a run's manifest that identifies the run: the values of the swept keys, both as
/// texts in tables and as numbers, and the scenario with the seed.
scenarios::Json identity_of(const scenarios::ExperimentPoint& point);

/// Whether `folder` holds the complete results of this run by this build.
bool has_run_results(const std::filesystem::path& folder, const scenarios::ExperimentPoint& point,
                     const Build& build);

/// Throws ResultFolderError if the result folder holds anything that this experiment would replace
/// or mix with its own results: a run of another experiment, whatever its seed and build; a
/// manifest of an unknown format; results of a testbed; something other than a file at the path of
/// a table.
void check_experiment_of_runs(const std::filesystem::path& folder,
                              const scenarios::Experiment& experiment);

/// Throws ResultFolderError if the result folder holds a run of another build.
void check_build_of_runs(const std::filesystem::path& folder, const Build& build);

/// Removes all runs of other builds. Removes the merged tables first, so that these never mix
/// builds, even if the function is interrupted.
void remove_runs_of_other_builds(const std::filesystem::path& folder, const Build& build);

}  // namespace ina::runs
