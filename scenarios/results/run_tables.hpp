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

/// Names of the tables that a run of the scenario writes, in the order of kTables.
std::vector<std::string_view> tables_of(const scenarios::Scenario& scenario);

/// Rows that are known after a run. Tables that the scenario does not enable are not written.
struct EndRows {
  std::vector<JobRow> jobs;
  std::vector<LinkRow> links;
  std::vector<OccupationRow> occupations;
  std::vector<FlowRow> flows;
  std::vector<PacketRow> packets;
};

/// Writes the tables of one run. Tables that grow with the length of the run (switch.csv,
/// iterations.csv, link_series.csv) are written row by row. All functions throw std::runtime_error
/// with the path and the reason.
class RunTables {
 public:
  /// `folder`: folder of the run; must exist.
  RunTables(const std::filesystem::path& folder, const PointCells& point, std::size_t jobs,
            const scenarios::Scenario& scenario);

  void add(const SwitchRow& row);
  /// Adds a row. The scenario must enable the table.
  void add(const LinkSeriesRow& row);
  /// Adds the next iteration of a job.
  void add(const IterationRow& row);
  /// Completes all tables after the run. Returns their checksums.
  fields::Json finish(const EndRows& rows);

 private:
  std::filesystem::path iterations_of(std::size_t job) const;
  std::string merge_iterations();

  template <class Row>
  std::string write_table(const std::vector<Row>& rows) const;

  std::filesystem::path folder_;
  CsvRow names_;  // start of every header
  CsvRow cells_;  // start of every row
  StreamedFile switch_table_;
  std::optional<StreamedFile> link_series_;  // if enabled
  bool has_occupation_;
  bool has_traffic_;
  std::vector<std::unique_ptr<StreamedFile>> iterations_;  // by job
};

}  // namespace ina::results
