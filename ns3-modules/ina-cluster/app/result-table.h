/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_RESULT_TABLE_H
#define INA_RESULT_TABLE_H

#include "hw/fields/strict_json.hpp"
#include "scenarios/reader/experiment.hpp"

#include <filesystem>
#include <string>

namespace ns3
{

/** What came out of an experiment, a row for each combination of swept values. */
struct Summary
{
    ina::scenarios::Json rows;
    bool severalJobs; ///< a row is of more than one finished job, so percentiles say something
    bool severalIterations; ///< a job has more than one, so an iteration's time is not the JCT
};

/**
 * The summary of an experiment: for each combination of swept values the mean JCT over the jobs of
 * a seed that finished, then over the seeds that have one, its ratio to DSA's of the same keys,
 * percentiles over all these jobs, and the time of an iteration, in the same order of means (null
 * where there is none); packets sent, fallbacks, preemptions and
 * retransmissions of a run, all its jobs together, as means over the seeds. Reads the jobs.csv
 * files of the runs.
 */
Summary SummariseExperiment(const std::filesystem::path& folder,
                            const ina::scenarios::Experiment& experiment);

/** The summary as a table for people. */
std::string FormatSummary(const Summary& summary);

} // namespace ns3

#endif // INA_RESULT_TABLE_H
