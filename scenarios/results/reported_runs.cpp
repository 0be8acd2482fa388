// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/results/reported_runs.hpp"

#include <filesystem>
#include <limits>
#include <utility>
#include <vector>

#include "hw/fields/document.hpp"
#include "hw/fields/object_reader.hpp"
#include "scenarios/results/cells.hpp"
#include "scenarios/results/rows.hpp"

namespace ina::results {

namespace {

using fields::ObjectReader;

constexpr fields::Bounds<std::size_t> kAnySize{0, std::numeric_limits<std::int32_t>::max()};

class Report final : public fields::Document {
 public:
  explicit Report(std::string name) : name_(std::move(name)) {}

  /// Nothing in it has a path.
  const std::filesystem::path& directory_of(const std::string&) const override { return nowhere_; }

 private:
  fields::InputError error_at(const std::string& pointer,
                              const std::string& message) const override {
    return {name_, pointer, message};
  }

  std::string name_;
  std::filesystem::path nowhere_;
};

/// Of an array of texts, so many of them.
CsvRow read_cells(ObjectReader& reader, std::string_view key, std::size_t count) {
  CsvRow row;
  const fields::Json* const cells = reader.find(key);
  if (cells == nullptr) reader.fail(key, "the key is missing");
  if (!cells->is_array() || (count != 0 && cells->size() != count)) {
    reader.refuse(key, "an array of texts, one for each column");
  }
  for (const fields::Json& cell : *cells) {
    if (!cell.is_string()) reader.refuse(key, "an array of texts, one for each column");
    row.text(cell.get_ref<const std::string&>());
  }
  return row;
}

struct ReportedRun {
  CsvRow cells;
  std::vector<JobRow> jobs;
  std::vector<IterationRow> iterations;
  std::vector<SwitchRow> samples;
  std::vector<LinkRow> links;
};

template <class Row>
void read_rows(ObjectReader& reader, std::string_view key, std::vector<Row>& rows) {
  reader.list(
      key, rows, kAnySize, [](ObjectReader& inner, Row& row) { Row::visit(inner, row); }, "");
}

void read_run(ObjectReader& reader, std::size_t columns, ReportedRun& run) {
  run.cells = read_cells(reader, "cells", columns);
  read_rows(reader, "jobs", run.jobs);
  read_rows(reader, "iterations", run.iterations);
  read_rows(reader, "switch", run.samples);
  read_rows(reader, "links", run.links);
  for (const IterationRow& iteration : run.iterations) {
    if (iteration.job >= run.jobs.size()) reader.refuse("iterations", "those of the jobs");
    run.jobs[iteration.job].times.add(iteration.time);
  }
}

template <class Row>
std::string table_of(const CsvRow& names, const std::vector<ReportedRun>& runs,
                     std::vector<Row> ReportedRun::*rows) {
  std::string table = header<Row>(names);
  for (const ReportedRun& run : runs) {
    for (const Row& row : run.*rows) table += line(run.cells, row);
  }
  return table;
}

}  // namespace

fields::Json tables_of(const fields::Json& reported, const std::string& file) {
  const Report report(file);
  ObjectReader reader(report, reported, "", fields::Absent::error);
  const CsvRow names = read_cells(reader, "columns", 0);
  const std::size_t columns = reported.at("columns").size();
  std::vector<ReportedRun> runs;
  reader.list(
      "runs", runs, kAnySize,
      [columns](ObjectReader& inner, ReportedRun& run) { read_run(inner, columns, run); }, "");
  reader.finish();
  return {{"jobs.csv", table_of(names, runs, &ReportedRun::jobs)},
          {"iterations.csv", table_of(names, runs, &ReportedRun::iterations)},
          {"switch.csv", table_of(names, runs, &ReportedRun::samples)},
          {"links.csv", table_of(names, runs, &ReportedRun::links)}};
}

}  // namespace ina::results
