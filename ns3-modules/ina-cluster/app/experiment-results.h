/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_EXPERIMENT_RESULTS_H
#define INA_EXPERIMENT_RESULTS_H

#include "scenarios/reader/experiment.hpp"

#include <filesystem>
#include <vector>

namespace ns3
{

/** Version of the format, name, description, build, axes and seeds, as the manifest has them. */
ina::scenarios::Json DescriptionOf(const ina::scenarios::Experiment& experiment);

/** Writes the tables of these runs, which are the folders of all of an experiment, in its order,
 * together, and the manifest: `description` is what DescriptionOf() said of it. Returns the
 * findings of all runs (GroupFindings()). Throws std::runtime_error. */
ina::scenarios::Json WriteResultsOfRuns(const std::filesystem::path& folder,
                                        const ina::scenarios::Json& description,
                                        const std::vector<std::filesystem::path>& runs);

/** The same for an experiment whose runs are all in its result folder. */
ina::scenarios::Json WriteExperimentResults(const std::filesystem::path& folder,
                                            const ina::scenarios::Experiment& experiment);

} // namespace ns3

#endif // INA_EXPERIMENT_RESULTS_H
