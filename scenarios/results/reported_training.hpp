// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hw/cluster/training/job_iterations.hpp"
#include "hw/fields/object_reader.hpp"
#include "hw/protocol/time.hpp"
#include "scenarios/results/rows.hpp"

namespace ina::results {

/// Training of a job as a whole, until it finished or failed.
struct ReportedTraining {
  std::optional<Time> start;                      ///< of the first iteration; empty if none began
  std::vector<cluster::JobIteration> iterations;  ///< ended by all workers, in order
};

/// Reads the key "training" of a run: an array of cluster::WorkerReport, one per worker process.
/// The processes of one worker must be in the order of their start, and all workers of a job must
/// have the same number. `jobs`: reported rows, with an end if the job failed. Returns the training
/// of each job. Throws fields::InputError, also if the reports contradict each other.
std::vector<ReportedTraining> read_training(fields::ObjectReader& run,
                                            std::span<const JobRow> jobs);

}  // namespace ina::results
