// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/fields/strict_json.hpp"
#include "scenarios/keys/scenario.hpp"
#include "scenarios/results/point_cells.hpp"
#include "scenarios/results/rows.hpp"
#include "scenarios/results/streamed_file.hpp"

namespace ina::results {

/// Of kTables, in their order, those that a run has.
std::vector<std::string_view> tables_of(const scenarios::Scenario& scenario);

/// Rows that are known when a run has ended. What was not asked for is not written.
struct EndRows {
  std::vector<JobRow> jobs;
  std::vector<LinkRow> links;
  std::vector<OccupationRow> occupations;
  std::vector<FlowRow> flows;
  std::vector<PacketRow> packets;
};

/// The tables of one run, as files. What grows with the run's length (switch.csv, iterations.csv,
/// link_series.csv) is written row by row while it runs. Everything throws std::runtime_error with
/// the path and the reason.
class RunTables {
 public:
  /// `folder`: of the run; it must exist.
  RunTables(const std::filesystem::path& folder, const PointCells& point, std::size_t jobs,
            const scenarios::Scenario& scenario);

  void add(const SwitchRow& row);
  /// If the table was asked for.
  void add(const LinkSeriesRow& row);
  /// The next iteration of a job.
  void add(const IterationRow& row);
  /// After the run. Returns the checksums of the tables.
  fields::Json finish(const EndRows& rows);

 private:
  std::filesystem::path iterations_of(std::size_t job) const;
  std::string merge_iterations();

  template <class Row>
  std::string write_table(const std::vector<Row>& rows) const;

  std::filesystem::path folder_;
  CsvRow names_;  // that begin every header
  CsvRow cells_;  // that begin every row
  StreamedFile switch_table_;
  std::optional<StreamedFile> link_series_;  // if it was asked for
  bool has_occupation_;
  bool has_traffic_;
  std::vector<std::unique_ptr<StreamedFile>> iterations_;  // rows of each job
};

}  // namespace ina::results
