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

/// What the workers of a job went through together, until it finished or failed.
struct ReportedTraining {
  std::optional<Time> start;                      ///< of the first iteration, if any began
  std::vector<cluster::JobIteration> iterations;  ///< that all of them ended, in order
};

/// Reads the key "training" of a run, an array of cluster::WorkerReport, one of each process of a
/// worker, those of one worker in the order in which they were started. All workers of a job have
/// as many processes, which went through it together. `jobs`: their rows as they were
/// reported, with an end if they failed. Returns the training of each. Throws fields::InputError,
/// also of what no job can have gone through.
std::vector<ReportedTraining> read_training(fields::ObjectReader& run,
                                            std::span<const JobRow> jobs);

}  // namespace ina::results
