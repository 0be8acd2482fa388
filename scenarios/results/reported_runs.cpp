// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/results/reported_runs.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "hw/fields/document.hpp"
#include "hw/fields/object_reader.hpp"
#include "scenarios/results/cells.hpp"
#include "scenarios/results/reported_training.hpp"
#include "scenarios/results/rows.hpp"

namespace ina::results {

namespace {

using fields::ObjectReader;

/// Reads an array of `count` texts; 0 allows any number.
CsvRow read_cells(ObjectReader& reader, std::string_view key, std::size_t count) {
  CsvRow row;
  const fields::Json* const cells = reader.find_wanted(key);
  if (!cells->is_array() || (count != 0 && cells->size() != count)) {
    reader.refuse(key, "an array of strings, one for each column");
  }
  for (const fields::Json& cell : *cells) {
    if (!cell.is_string()) reader.refuse(key, "an array of strings, one for each column");
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
      key, rows, fields::kAnySize, [](ObjectReader& inner, Row& row) { Row::visit(inner, row); },
      "");
}

/// Checks that failed jobs report their end, and that finished jobs, which end with their last
/// iteration, do not.
void check_ends(const ObjectReader& reader, const std::vector<JobRow>& jobs) {
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    const bool finished = jobs[job].status == cluster::JobStatus::finished;
    if (finished != jobs[job].end.has_value()) continue;
    reader.document().fail(
        fields::pointer_to(reader.pointer_of("jobs"), job) + "/end_ps",
        finished
            ? fmt::format("found {} for a job that finished; allowed: no such key", *jobs[job].end)
            : "the key is missing");
  }
}

/// Fills in the values of a job that follow from its training.
void complete(ReportedRun& run, std::size_t job, const ReportedTraining& training) {
  JobRow& row = run.jobs[job];
  for (std::size_t i = 0; i < training.iterations.size(); ++i) {
    run.iterations.push_back(IterationRow::of(job, i, training.iterations[i]));
    row.times.add(run.iterations.back().period);
  }
  if (training.start) row.start = training.start->count();
  if (!row.end) row.end = training.iterations.back().end.count();
}

void read_run(ObjectReader& reader, std::size_t columns, ReportedRun& run) {
  run.cells = read_cells(reader, "cells", columns);
  read_rows(reader, "jobs", run.jobs);
  check_ends(reader, run.jobs);
  const std::vector<ReportedTraining> trainings = read_training(reader, run.jobs);
  for (std::size_t job = 0; job < trainings.size(); ++job) {
    complete(run, job, trainings[job]);
  }
  read_rows(reader, "switch", run.samples);
  for (SwitchRow& sample : run.samples) {
    if (sample.job >= run.jobs.size()) reader.refuse("switch", "samples of jobs of the run");
    if (!sample.time) sample.time = run.jobs[sample.job].end;
  }
  read_rows(reader, "links", run.links);
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
  const fields::PlainDocument report(file);
  ObjectReader reader(report, reported, "", fields::Absent::error);
  const CsvRow names = read_cells(reader, "columns", 0);
  const std::size_t columns = reported.at("columns").size();
  std::vector<ReportedRun> runs;
  reader.list(
      "runs", runs, fields::kAnySize,
      [columns](ObjectReader& inner, ReportedRun& run) { read_run(inner, columns, run); }, "");
  reader.finish();
  return {{JobRow::kTable, table_of(names, runs, &ReportedRun::jobs)},
          {IterationRow::kTable, table_of(names, runs, &ReportedRun::iterations)},
          {SwitchRow::kTable, table_of(names, runs, &ReportedRun::samples)},
          {LinkRow::kTable, table_of(names, runs, &ReportedRun::links)}};
}

}  // namespace ina::results
