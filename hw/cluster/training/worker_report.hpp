// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hw/cluster/training/worker_iteration.hpp"
#include "hw/fields/bounds.hpp"
#include "hw/protocol/time.hpp"

namespace ina::cluster {

/// The report of a worker's process about its iterations, made when the process ends. If a job was
/// registered several times, a worker had one process per registration.
struct WorkerReport {
  std::uint32_t job = 0;
  std::uint32_t worker = 0;  ///< rank in the job, from 0
  std::uint32_t first_iteration = 0;
  std::vector<WorkerIteration> iterations;  ///< iterations that ended, from `first_iteration` on
  /// Start of the iteration that follows `iterations`; empty if the worker has not begun it.
  std::optional<Time> iteration_start;

  /// The list of fields, for writing and reading the report.
  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& report) {
    visitor.integer("job", report.job, kAnyNumber, "");
    visitor.integer("worker", report.worker, kAnyNumber, "");
    visitor.integer("first_iteration", report.first_iteration, kAnyNumber, "");
    visitor.list(
        "iterations", report.iterations, fields::kAnySize,
        [](auto& inner, auto& iteration) { WorkerIteration::visit(inner, iteration); }, "");
    visitor.picoseconds("iteration_start_ps", report.iteration_start, fields::kAnyTime, "");
  }

 private:
  static constexpr fields::Bounds<std::uint32_t> kAnyNumber{0, UINT32_MAX};
};

}  // namespace ina::cluster
