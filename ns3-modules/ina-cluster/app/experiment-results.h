/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_EXPERIMENT_RESULTS_H
#define INA_EXPERIMENT_RESULTS_H

#include "scenarios/reader/experiment.hpp"

#include <filesystem>

namespace ns3
{

/** Name, description, build, axes and seeds, as the manifest has them. */
ina::scenarios::Json DescriptionOf(const ina::scenarios::Experiment& experiment);

/** Writes the tables of all points together and the experiment's manifest. Throws
 * std::runtime_error. */
void WriteExperimentResults(const std::filesystem::path& folder,
                            const ina::scenarios::Experiment& experiment);

} // namespace ns3

#endif // INA_EXPERIMENT_RESULTS_H
