// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "hw/fields/strict_json.hpp"
#include "scenarios/results/point_cells.hpp"
#include "scenarios/results/rows.hpp"
#include "scenarios/results/streamed_file.hpp"

namespace ina::results {

/// The tables of one run, as files. What grows with the run's length (switch.csv, iterations.csv)
/// is written row by row while it runs. Everything throws std::runtime_error with the path and the
/// reason.
class RunTables {
 public:
  /// `folder`: of the run; it must exist.
  RunTables(const std::filesystem::path& folder, const PointCells& point, std::size_t jobs);

  void add(const SwitchRow& row);
  /// The next iteration of a job.
  void add(const IterationRow& row);
  /// After the run. The jobs get their times here. Returns the checksums of the tables.
  fields::Json finish(std::vector<JobRow> jobs, const std::vector<LinkRow>& links);

 private:
  std::filesystem::path iterations_of(std::size_t job) const;
  std::string merge_iterations();

  std::filesystem::path folder_;
  CsvRow names_;  // that begin every header
  CsvRow cells_;  // that begin every row
  StreamedFile switch_table_;
  std::vector<std::unique_ptr<StreamedFile>> iterations_;  // rows of each job
  std::vector<IterationTimes> times_;                      // of each job
};

}  // namespace ina::results
