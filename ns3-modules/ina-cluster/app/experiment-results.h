/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_EXPERIMENT_RESULTS_H
#define INA_EXPERIMENT_RESULTS_H

#include "ns3/experiment.h"

#include <filesystem>

namespace ns3
{

/** Name, description, build, axes and seeds, as the manifest has them. */
Json DescriptionOf(const Experiment& experiment);

/** Writes the tables of all points together and the experiment's manifest. Throws
 * std::runtime_error. */
void WriteExperimentResults(const std::filesystem::path& folder, const Experiment& experiment);

} // namespace ns3

#endif // INA_EXPERIMENT_RESULTS_H
