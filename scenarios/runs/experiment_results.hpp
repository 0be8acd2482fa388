// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

#include "scenarios/reader/experiment.hpp"
#include "scenarios/runs/build.hpp"

namespace ina::runs {

/// The part of the manifest that describes the experiment: version of the format, name,
/// description, build, axes, baseline and seeds. `build`: Build::info.
scenarios::Json description_of(const scenarios::Experiment& experiment,
                               const scenarios::Json& build);

/// Merges the tables of all runs of an experiment and writes its manifest. `description`: from
/// description_of(); `runs`: folders of the runs, in the order of the experiment. Returns the
/// manifest, which contains the runs' manifests as "points". Throws std::runtime_error.
scenarios::Json write_results_of_runs(const std::filesystem::path& folder,
                                      const scenarios::Json& description,
                                      const std::vector<std::filesystem::path>& runs);

/// The same for an experiment whose runs are all in its result folder.
scenarios::Json write_experiment_results(const std::filesystem::path& folder,
                                         const scenarios::Experiment& experiment,
                                         const Build& build);

}  // namespace ina::runs
