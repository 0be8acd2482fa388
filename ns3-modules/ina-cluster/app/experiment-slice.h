/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_EXPERIMENT_SLICE_H
#define INA_EXPERIMENT_SLICE_H

#include "scenarios/reader/experiment.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/** Every `of`-th run of an experiment, in its order, from the `number`-th on, counted from 1. */
struct ExperimentSlice
{
    std::uint32_t number;
    std::uint32_t of;
};

/** What a text such as 3/16 says; none if it is no slice. */
std::optional<ExperimentSlice> ParseSlice(const std::string& text);

/** The runs of a slice, or all. */
std::vector<const ina::scenarios::ExperimentPoint*> RunsOf(
    const ina::scenarios::Experiment& experiment,
    const std::optional<ExperimentSlice>& slice);

/** The result folder of a slice has a name of its own, so that slices can run at one time. */
std::string FolderNameOf(const ina::scenarios::Experiment& experiment,
                         const std::optional<ExperimentSlice>& slice);

/** Writes what MergeSlices() has to know into the slice's result folder: slice.json. Throws
 * std::runtime_error. */
void WriteSlice(const std::filesystem::path& folder,
                const ina::scenarios::Experiment& experiment,
                const ExperimentSlice& slice);

/**
 * Makes the result folder of an experiment, in `out`, from those of its slices, as one run of it
 * would have made it; it is there as a whole or not at all. Returns its path. Throws InputError if
 * the slices are not all runs of one experiment from one build, each once and whole, and
 * ResultFolderError if the folder is there already or cannot be made.
 */
std::filesystem::path MergeSlices(const std::vector<std::filesystem::path>& slices,
                                  const std::filesystem::path& out);

} // namespace ns3

#endif // INA_EXPERIMENT_SLICE_H
