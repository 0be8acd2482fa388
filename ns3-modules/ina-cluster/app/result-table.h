/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_RESULT_TABLE_H
#define INA_RESULT_TABLE_H

#include "ns3/experiment.h"
#include "ns3/strict-json.h"

#include <filesystem>
#include <string>

namespace ns3
{

/**
 * The summary of an experiment: for each combination of swept values, over its seeds and jobs, the
 * average JCT and its ratio to DSA's in the same place (null where there is none); packets sent,
 * fallbacks, preemptions and retransmissions of a run, all its jobs together, as means over the
 * seeds. Reads the jobs.csv files of the points.
 */
Json SummariseExperiment(const std::filesystem::path& folder, const Experiment& experiment);

/** The summary as a table for people. */
std::string FormatSummary(const Json& summary);

} // namespace ns3

#endif // INA_RESULT_TABLE_H
