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
  bool several_iterations;  ///< whether a job has several iterations, so their time is not the JCT
  std::string baseline;     ///< name of the variant or system to compare with; empty if none
};

/// Computes for each combination of swept values:
/// - the mean JCT: the mean over all seeds of the mean over a seed's finished jobs;
/// - the ratio of this mean to the baseline's mean with the same values of the other keys;
/// - percentiles of the JCT over all finished jobs;
/// - the mean time of an iteration, averaged first over a seed's jobs, then over the seeds;
/// - packets sent, fallbacks, preemptions, retransmissions and failed jobs per run, as means over
/// the seeds. A time is null if no job finished. `manifests`: manifests of the runs, in the order
/// of the experiment.
Summary summarise_experiment(const scenarios::Experiment& experiment,
                             const scenarios::Json& manifests);

/// The summary as an aligned table.
std::string format_summary(const Summary& summary);

}  // namespace ina::runs
