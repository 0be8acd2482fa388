// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/reader/experiment.hpp"
#include "scenarios/runs/build.hpp"

namespace ina::runs {

/// A part of an experiment: every `of`-th run, beginning with run `number`, counted from 1.
struct ExperimentSlice {
  std::uint32_t number;
  std::uint32_t of;
};

/// Parses a text such as 3/16. Returns nothing if it is not a slice.
std::optional<ExperimentSlice> parse_slice(const std::string& text);

/// The runs of a slice. Without a slice, all runs.
std::vector<const scenarios::ExperimentPoint*> runs_of(const scenarios::Experiment& experiment,
                                                       const std::optional<ExperimentSlice>& slice);

/// Name of the result folder. Each slice has its own, so that slices can run at the same time.
std::string folder_name_of(const scenarios::Experiment& experiment,
                           const std::optional<ExperimentSlice>& slice);

/// Writes slice.json, which merge_slices() reads, into the slice's result folder. Throws
/// std::runtime_error.
void write_slice(const std::filesystem::path& folder, const scenarios::Experiment& experiment,
                 const ExperimentSlice& slice, const Build& build);

/// Merges the result folders of slices into a result folder in `out`, as if one call had run the
/// whole experiment. The folder appears complete or not at all. Returns its path. Throws InputError
/// unless the slices together contain each run of one experiment exactly once, complete and by one
/// build. Throws ResultFolderError if the folder exists or cannot be created.
std::filesystem::path merge_slices(const std::vector<std::filesystem::path>& slices,
                                   const std::filesystem::path& out, BuildDifference difference);

}  // namespace ina::runs
