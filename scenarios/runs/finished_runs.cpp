// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/runs/finished_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/files/whole_file.hpp"
#include "scenarios/reader/scenario_reader.hpp"
#include "scenarios/results/run_tables.hpp"
#include "scenarios/results/streamed_file.hpp"
#include "scenarios/runs/result_folder.hpp"
#include "scenarios/runs/run_summary.hpp"

namespace ina::runs {

using namespace scenarios;

namespace {

/// Throws std::runtime_error, also if the file is not a JSON manifest.
Json read_manifest(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "manifest.json";
  return parse_strict_json(files::read(path), path.string());
}

/// The identity in a manifest, without keys that only newer builds write. Throws if the identity is
/// missing.
Json identity_in(const Json& manifest) {
  Json run{{"swept", manifest.at("swept")}, {"scenario", manifest.at("scenario")}};
  if (!run.at("swept").is_object() || !run.at("scenario").is_object()) {
    throw std::runtime_error("not the manifest of a run");
  }
  return run;
}

/// First difference between the identities of two runs, as text; "" if they are equal. Descriptions
/// are not compared.
std::string difference_of(Json there, Json here) {
  there.at("scenario").erase("description");
  here.at("scenario").erase("description");
  here.erase("swept_numbers");
  const Json changes = Json::diff(there, here);
  if (changes.empty()) return "";
  const Json::json_pointer place(changes[0].at("path").get<std::string>());
  const auto text = [&place](const Json& run) {
    return run.contains(place) ? shorten(run.at(place).dump()) : "nothing";
  };
  return fmt::format("{} is {} in the folder and {} in this experiment", place.to_string(),
                     text(there), text(here));
}

/// A run in a result folder, according to its manifest.
struct FoundRun {
  std::filesystem::path folder;
  Json manifest;
  std::size_t index;
  std::uint64_t seed;

  std::string name() const { return fmt::format("run {} (seed {})", index, seed); }
};

/// The runs in a result folder, of any build. Damaged runs are omitted, because they are run again.
std::vector<FoundRun> find_runs(const std::filesystem::path& folder) {
  std::vector<FoundRun> runs;
  for (const std::filesystem::path& run : run_folders_in(folder)) {
    try {
      Json manifest = read_manifest(run);
      identity_in(manifest);
      const auto index = manifest.at("point").get<std::size_t>();
      const auto seed = manifest.at("seed").get<std::uint64_t>();
      runs.push_back({run, std::move(manifest), index, seed});
    } catch (const std::exception&) {
    }
  }
  return runs;
}

std::string difference_of(const FoundRun& run, const Build& build) {
  const auto there = run.manifest.find("build");
  return build.difference(there == run.manifest.end() ? Json() : *there, build.info);
}

/// Difference between a run and the experiment's run of the same number, for any seed; "" if there
/// is none.
std::string difference_of(const FoundRun& run, const Experiment& experiment) {
  const std::size_t points = experiment.points.size() / experiment.seeds.size();
  if (run.index >= points)
    return fmt::format("the last run of this experiment is run {}", points - 1);
  ExperimentPoint here = experiment.points[run.index];
  here.seed = run.seed;
  return difference_of(identity_in(run.manifest), identity_of(here));
}

/// Manifest of a folder: null if there is none, "discarded" if it is not JSON.
Json any_manifest(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "manifest.json";
  return std::filesystem::is_regular_file(path) ? Json::parse(files::read(path), nullptr, false)
                                                : Json();
}

/// Rejects manifests of other format versions, which would be misread here.
void check_format(const std::filesystem::path& folder) {
  const Json manifest = any_manifest(folder);
  if (!manifest.contains("format_version")) return;
  const Json& version = manifest.at("format_version");
  if (!version.is_number_integer() || version < 0 || version > kFormatVersion) {
    throw ResultFolderError(
        fmt::format("{}: /format_version: found {}; allowed: up to {} (another version of INA "
                    "Lab wrote it), another --out, or to remove the folder first",
                    (folder / "manifest.json").string(), shorten(version.dump()), kFormatVersion));
  }
}

/// Results of a testbed have tables without folders of points.
void check_testbed(const std::filesystem::path& folder) {
  if (any_manifest(folder).contains("testbed")) {
    throw ResultFolderError(fmt::format(
        "{} contains results of a testbed; allowed: another --out, or to remove the folder first",
        folder.string()));
  }
}

/// Protects files that are not tables or manifests of `ina run` from being overwritten.
void check_tables(const std::filesystem::path& folder) {
  const auto check = [&folder](const char* name) {
    const std::filesystem::path path = folder / name;
    const auto status = std::filesystem::symlink_status(path);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
      throw ResultFolderError(fmt::format(
          "{} is not a regular file; allowed: another --out, or to remove this entry first",
          path.string()));
    }
  };
  std::ranges::for_each(results::kTables, check);
  check("manifest.json");
  const auto is_there = [&folder](const char* name) {
    return std::filesystem::exists(folder / name);
  };
  const auto* table = std::ranges::find_if(results::kTables, is_there);
  if (table != results::kTables.end() && run_folders_in(folder).empty()) {
    throw ResultFolderError(
        fmt::format("{} contains {}, but not the runs of this table; allowed: another --out, or to "
                    "remove the folder first",
                    folder.string(), *table));
  }
}

}  // namespace

Json identity_of(const ExperimentPoint& point) {
  Json run;
  run["swept"] = Json::object();
  for (const auto& [pointer, value] : point.labels) run["swept"][pointer] = value;
  run["swept_numbers"] = Json::object();
  for (const SweptNumber& number : point.numbers) {
    run["swept_numbers"][number.column] = number.value;
  }
  run["scenario"] = to_json(point.with_seed());
  return run;
}

bool has_run_results(const std::filesystem::path& folder, const ExperimentPoint& point,
                     const Build& build) {
  if (!std::filesystem::exists(folder)) return false;
  try {
    const Json manifest = read_manifest(folder);
    const Json run = identity_of(point);
    summary_in(manifest);  // throws without one
    const auto whole = [&](std::string_view table) {
      return manifest.at("tables_crc32").at(table) == results::crc32_of_file(folder / table);
    };
    return difference_of(identity_in(manifest), run).empty() &&
           manifest.at("swept_numbers") == run.at("swept_numbers") &&
           build.difference(manifest.at("build"), build.info).empty() &&
           std::ranges::all_of(results::tables_of(*point.combination), whole);
  } catch (const std::exception&) {
    return false;  // a damaged folder is made anew
  }
}

void check_experiment_of_runs(const std::filesystem::path& folder, const Experiment& experiment) {
  check_format(folder);
  std::ranges::for_each(run_folders_in(folder), check_format);
  check_testbed(folder);  // first, because check_tables() would report missing runs
  check_tables(folder);
  for (const FoundRun& run : find_runs(folder)) {
    const std::string difference = difference_of(run, experiment);
    if (!difference.empty()) {
      throw ResultFolderError(
          fmt::format("{} contains {} of another experiment: {}; allowed: another --out, or to "
                      "remove the folder first",
                      folder.string(), run.name(), difference));
    }
  }
}

void check_build_of_runs(const std::filesystem::path& folder, const Build& build) {
  for (const FoundRun& run : find_runs(folder)) {
    const std::string difference = difference_of(run, build);
    if (!difference.empty()) {
      throw ResultFolderError(
          fmt::format("{} contains {} of another build: {}; allowed: --replace, or another --out",
                      folder.string(), run.name(), difference));
    }
  }
}

void remove_runs_of_other_builds(const std::filesystem::path& folder, const Build& build) {
  bool first = true;
  for (const FoundRun& run : find_runs(folder)) {
    if (difference_of(run, build).empty()) continue;
    if (first) {  // the merged tables have rows of such runs
      std::filesystem::remove(folder / "manifest.json");
      for (const char* table : results::kTables) std::filesystem::remove(folder / table);
    }
    first = false;
    std::filesystem::remove_all(run.folder);
  }
}

}  // namespace ina::runs
