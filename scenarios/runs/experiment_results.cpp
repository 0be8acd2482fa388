// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/runs/experiment_results.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "hw/files/whole_file.hpp"
#include "scenarios/results/rows.hpp"
#include "scenarios/results/streamed_file.hpp"
#include "scenarios/runs/grouped_findings.hpp"
#include "scenarios/runs/result_folder.hpp"

namespace ina::runs {

using namespace scenarios;

namespace {

/// Returns false if the file system has no hard links.
bool hard_link(const std::filesystem::path& into, const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::remove(into, error);
  std::filesystem::create_hard_link(file, into, error);
  return !error;
}

/// Writes the rows of all tables below one header, and returns the checksum. A single table is
/// linked instead.
std::string merge(const std::filesystem::path& into,
                  const std::vector<std::filesystem::path>& tables) {
  if (tables.size() == 1 && hard_link(into, tables.front())) return results::crc32_of_file(into);
  results::StreamedFile merged(into);
  for (const std::filesystem::path& table : tables) {
    merged.append(table, &table == &tables.front() ? 0 : 1);
  }
  return merged.finish();
}

/// The tables of this name, of all runs whose manifests list one.
std::vector<std::filesystem::path> tables_of_runs(const std::vector<std::filesystem::path>& runs,
                                                  const Json& manifests, const char* table) {
  std::vector<std::filesystem::path> paths;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (manifests.at(i).at("tables_crc32").contains(table)) paths.push_back(runs[i] / table);
  }
  return paths;
}

/// Leaves an equal file alone: its time tells the launcher whether figures are up to date.
void write_changed(const std::filesystem::path& path, const std::string& content) {
  if (std::filesystem::is_regular_file(path) && files::read(path) == content) return;
  files::write(path, content);
}

/// Null if there is none.
Json to_json(const std::optional<Baseline>& baseline) {
  if (!baseline) return {};
  return {{"key", baseline->pointer}, {"value", baseline->name}};
}

}  // namespace

Json description_of(const Experiment& experiment, const Json& build) {
  Json description;
  description["format_version"] = kFormatVersion;
  description["name"] = experiment.name;
  description["description"] = experiment.description;
  description["build"] = build;
  description["axes"] = Json::array();
  for (const SweepAxis& axis : experiment.axes) {
    Json& listed = description["axes"].emplace_back();
    listed = {{"key", axis.pointer}, {"values", axis.values}};
    if (std::ranges::any_of(axis.values, [](const Json& value) { return value.is_object(); })) {
      listed["labels"] = axis.labels;
    }
    if (!axis.numbers.empty()) {
      listed["numbers"] = {{"column", axis.column}, {"values", axis.numbers}};
    }
  }
  description["baseline"] = to_json(experiment.baseline);
  description["seeds"] = experiment.seeds;
  description["given"] = Json::parse(experiment.given);
  return description;
}

Json write_results_of_runs(const std::filesystem::path& folder, const Json& description,
                           const std::vector<std::filesystem::path>& runs) {
  Json manifest = description;
  Json& manifests = manifest["points"] = Json::array();
  for (const std::filesystem::path& run : runs) {
    manifests.push_back(Json::parse(files::read(run / "manifest.json")));
  }
  for (const char* table : results::kTables) {
    const auto tables = tables_of_runs(runs, manifest.at("points"), table);
    if (!tables.empty()) manifest["tables_crc32"][table] = merge(folder / table, tables);
  }
  manifest["findings"] = group_findings(manifest.at("points"));
  write_changed(folder / "manifest.json", manifest.dump(2) + '\n');
  return manifest;
}

Json write_experiment_results(const std::filesystem::path& folder, const Experiment& experiment,
                              const Build& build) {
  std::vector<std::filesystem::path> runs;
  for (const ExperimentPoint& point : experiment.points) runs.push_back(run_folder(folder, point));
  return write_results_of_runs(folder, description_of(experiment, build.info), runs);
}

}  // namespace ina::runs
