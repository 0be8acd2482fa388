// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "hw/fields/strict_json.hpp"
#include "scenarios/reader/experiment.hpp"

namespace ina::runs {

/// The results of an experiment, one row for each combination of swept values.
struct Summary {
  scenarios::Json rows;
  bool several_jobs;        ///< whether a row has several finished jobs, and thus percentiles
  bool several_iterations;  ///< whether a job has several, so that their time is not the JCT
  std::string baseline;     ///< name of the line that others are divided by; empty if none
};

/// Computes for each combination of swept values:
/// - the mean JCT over the jobs of a seed that finished, then over the seeds that have one;
/// - its ratio to the baseline's with the same values of the other keys;
/// - percentiles of the JCT over all these jobs;
/// - the mean time of an iteration, in the same order of means;
/// - packets sent, fallbacks, preemptions, retransmissions and failed jobs of a run, mean over
/// seeds. A time is null if no job finished. `manifests`: those of the runs, in the experiment's
/// order.
Summary summarise_experiment(const scenarios::Experiment& experiment,
                             const scenarios::Json& manifests);

/// The summary as an aligned table.
std::string format_summary(const Summary& summary);

}  // namespace ina::runs
