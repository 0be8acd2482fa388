// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/results/run_tables.hpp"

#include <fmt/format.h>

#include "scenarios/results/cells.hpp"

namespace ina::results {

std::vector<std::string_view> tables_of(const scenarios::OutputsScenario& outputs) {
  std::vector<std::string_view> tables(kTables.begin(), kTables.end());
  if (!outputs.link_interval_ps) std::erase(tables, std::string_view(LinkSeriesRow::kTable));
  if (!outputs.occupation) std::erase(tables, std::string_view(OccupationRow::kTable));
  return tables;
}

RunTables::RunTables(const std::filesystem::path& folder, const PointCells& point, std::size_t jobs,
                     const scenarios::OutputsScenario& outputs)
    : folder_(folder),
      names_(names_in(point)),
      cells_(values_in(point)),
      switch_table_(folder / SwitchRow::kTable),
      has_occupation_(outputs.occupation),
      iterations_(jobs),
      times_(jobs) {
  switch_table_.write(header<SwitchRow>(names_));
  if (outputs.link_interval_ps) {
    link_series_.emplace(folder / LinkSeriesRow::kTable).write(header<LinkSeriesRow>(names_));
  }
}

void RunTables::add(const SwitchRow& row) { switch_table_.write(line(cells_, row)); }

void RunTables::add(const LinkSeriesRow& row) { link_series_->write(line(cells_, row)); }

void RunTables::add(const IterationRow& row) {
  times_[row.job].add(row.time);
  auto& table = iterations_[row.job];
  if (!table) table = std::make_unique<StreamedFile>(iterations_of(row.job));
  table->write(line(cells_, row));
}

fields::Json RunTables::finish(std::vector<JobRow> jobs, const std::vector<LinkRow>& links,
                               const std::vector<OccupationRow>& occupations) {
  for (JobRow& job : jobs) job.times = times_[job.job];
  fields::Json checksums;
  checksums[JobRow::kTable] = write_table(jobs);
  checksums[IterationRow::kTable] = merge_iterations();
  checksums[SwitchRow::kTable] = switch_table_.finish();
  checksums[LinkRow::kTable] = write_table(links);
  if (link_series_) checksums[LinkSeriesRow::kTable] = link_series_->finish();
  if (has_occupation_) checksums[OccupationRow::kTable] = write_table(occupations);
  return checksums;
}

template <class Row>
std::string RunTables::write_table(const std::vector<Row>& rows) const {
  StreamedFile table(folder_ / Row::kTable);
  table.write(header<Row>(names_));
  for (const Row& row : rows) table.write(line(cells_, row));
  return table.finish();
}

std::filesystem::path RunTables::iterations_of(std::size_t job) const {
  return folder_ / fmt::format("{}.job{}", IterationRow::kTable, job);
}

/// One job after the other, as they did not come.
std::string RunTables::merge_iterations() {
  StreamedFile table(folder_ / IterationRow::kTable);
  table.write(header<IterationRow>(names_));
  for (std::size_t job = 0; job < iterations_.size(); ++job) {
    if (!iterations_[job]) continue;
    iterations_[job]->finish();
    table.append(iterations_of(job), 0);
    std::filesystem::remove(iterations_of(job));
  }
  return table.finish();
}

}  // namespace ina::results
