// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/results/run_tables.hpp"

#include <fmt/format.h>

#include "scenarios/results/cells.hpp"

namespace ina::results {

std::vector<std::string_view> tables_of(const scenarios::Scenario& scenario) {
  std::vector<std::string_view> tables(kTables.begin(), kTables.end());
  const auto leave_out = [&](std::string_view table) { std::erase(tables, table); };
  if (!scenario.outputs.link_interval_ps) leave_out(LinkSeriesRow::kTable);
  if (!scenario.outputs.occupation) leave_out(OccupationRow::kTable);
  if (scenario.traffic.flows.empty()) {
    leave_out(FlowRow::kTable);
    leave_out(PacketRow::kTable);
  }
  return tables;
}

RunTables::RunTables(const std::filesystem::path& folder, const PointCells& point, std::size_t jobs,
                     const scenarios::Scenario& scenario)
    : folder_(folder),
      names_(names_in(point)),
      cells_(values_in(point)),
      switch_table_(folder / SwitchRow::kTable),
      has_occupation_(scenario.outputs.occupation),
      has_traffic_(!scenario.traffic.flows.empty()),
      iterations_(jobs) {
  switch_table_.write(header<SwitchRow>(names_));
  if (scenario.outputs.link_interval_ps) {
    link_series_.emplace(folder / LinkSeriesRow::kTable).write(header<LinkSeriesRow>(names_));
  }
}

void RunTables::add(const SwitchRow& row) { switch_table_.write(line(cells_, row)); }

void RunTables::add(const LinkSeriesRow& row) { link_series_->write(line(cells_, row)); }

void RunTables::add(const IterationRow& row) {
  auto& table = iterations_[row.job];
  if (!table) table = std::make_unique<StreamedFile>(iterations_of(row.job));
  table->write(line(cells_, row));
}

fields::Json RunTables::finish(const EndRows& rows) {
  fields::Json checksums;
  checksums[JobRow::kTable] = write_table(rows.jobs);
  checksums[IterationRow::kTable] = merge_iterations();
  checksums[SwitchRow::kTable] = switch_table_.finish();
  checksums[LinkRow::kTable] = write_table(rows.links);
  if (link_series_) checksums[LinkSeriesRow::kTable] = link_series_->finish();
  if (has_occupation_) checksums[OccupationRow::kTable] = write_table(rows.occupations);
  if (has_traffic_) {
    checksums[FlowRow::kTable] = write_table(rows.flows);
    checksums[PacketRow::kTable] = write_table(rows.packets);
  }
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

/// Rows of several jobs arrive interleaved; the table has one job after the other.
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
