// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "hw/fields/strict_json.hpp"
#include "scenarios/reader/experiment.hpp"

namespace ina::runs {

/// What came out of an experiment, a row for each combination of swept values.
struct Summary {
  scenarios::Json rows;
  bool several_jobs;  ///< a row is of more than one finished job, so percentiles say something
  bool several_iterations;  ///< a job has more than one, so an iteration's time is not the JCT
};

/// The summary of an experiment: for each combination of swept values the mean JCT over the jobs of
/// a seed that finished, then over the seeds that have one, its ratio to DSA's of the same keys,
/// percentiles over all these jobs, and the time of an iteration, in the same order of means (null
/// where there is none); packets sent, fallbacks, preemptions and
/// retransmissions of a run, all its jobs together, as means over the seeds. Reads the jobs.csv
/// files of the runs.
Summary summarise_experiment(const std::filesystem::path& folder,
                             const scenarios::Experiment& experiment);

/// The summary as a table for people.
std::string format_summary(const Summary& summary);

}  // namespace ina::runs
