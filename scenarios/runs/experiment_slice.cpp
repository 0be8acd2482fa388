// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/runs/experiment_slice.hpp"

#include <fmt/format.h>

#include <exception>
#include <map>
#include <string_view>
#include <utility>

#include "hw/fields/input_error.hpp"
#include "hw/fields/read_number.hpp"
#include "hw/files/whole_file.hpp"
#include "scenarios/results/crc32.hpp"
#include "scenarios/results/streamed_file.hpp"
#include "scenarios/runs/experiment_results.hpp"
#include "scenarios/runs/finished_runs.hpp"
#include "scenarios/runs/result_folder.hpp"

namespace ina::runs {

using namespace scenarios;

namespace {

const char* const kSliceFile = "slice.json";

/// A run by the number of its point and its seed.
using RunKey = std::pair<std::size_t, std::uint64_t>;

std::optional<std::uint32_t> parse_number(std::string_view text) {
  std::uint32_t number = 0;
  return fields::read_number(text, number) ? std::optional(number) : std::nullopt;
}

/// Checksum of the identities of all points. Scenarios with any difference have different
/// checksums.
std::string crc32_of_points(const Experiment& experiment) {
  results::Crc32 checksum;
  for (std::size_t i = 0; i < experiment.points.size() / experiment.seeds.size(); ++i) {
    ExperimentPoint point = experiment.points[i];
    point.seed = 1;  // the seeds are compared on their own
    checksum.add(identity_of(point).dump());
  }
  return checksum.written();
}

/// Result folder of a slice, with the content of its slice.json.
struct FoundSlice {
  std::filesystem::path folder;
  Json description;  ///< of the experiment, as description_of() has it
  std::size_t points;
  std::string points_crc32;
  ExperimentSlice slice;
  std::vector<std::uint64_t> seeds;
};

FoundSlice read_slice(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kSliceFile;
  try {
    const Json content = parse_strict_json(files::read(path), path.string());
    const auto slice = parse_slice(content.at("slice").get<std::string>());
    FoundSlice found{folder,
                     content.at("experiment"),
                     content.at("points").get<std::size_t>(),
                     content.at("points_crc32").get<std::string>(),
                     slice.value(),
                     content.at("experiment").at("seeds").get<std::vector<std::uint64_t>>()};
    const auto name = found.description.at("name").get<std::string>();
    if (name.empty() || std::filesystem::path(name).filename() != name ||
        found.points > kMaxPoints || found.seeds.size() > kMaxPoints) {
      throw std::runtime_error("no experiment");
    }
    return found;
  } catch (const std::exception&) {
    throw InputError(
        folder.string(), "",
        fmt::format("found no readable {}; allowed: a folder that ina run --slice made",
                    kSliceFile));
  }
}

/// Visits the runs in the order of experiment.hpp.
template <typename Visit>
void visit_runs(const FoundSlice& of, Visit visit) {
  std::size_t position = 0;
  for (const std::uint64_t seed : of.seeds) {
    for (std::size_t point = 0; point < of.points; ++point, ++position) {
      visit(position, RunKey(point, seed));
    }
  }
}

std::string name_of(const RunKey& run) {
  return fmt::format("run {} (seed {})", run.first, run.second);
}

void check_same_experiment(const FoundSlice& first, const FoundSlice& other,
                           BuildDifference difference_of_builds) {
  const auto refuse = [&](const std::string& difference) {
    throw InputError(other.folder.string(), "",
                     fmt::format("found a slice that differs from that in {1}: {0}; allowed: "
                                 "slices of one scenario, with the same seeds, by one build",
                                 difference, first.folder.string()));
  };
  for (const char* key : {"name", "axes", "seeds", "baseline"}) {
    const Json here = other.description.value(key, Json());
    const Json there = first.description.value(key, Json());
    if (here != there) {
      refuse(fmt::format("{} is {} instead of {}", key, fields::shorten(here.dump()),
                         fields::shorten(there.dump())));
    }
  }
  if (other.points != first.points || other.points_crc32 != first.points_crc32) {
    refuse("another scenario");
  }
  const std::string difference =
      difference_of_builds(first.description.at("build"), other.description.at("build"));
  if (!difference.empty()) refuse("another build: " + difference);
}

/// Whether a folder has the complete results of this run, according to the folder's manifest.
bool is_whole(const std::filesystem::path& folder, const RunKey& run) {
  try {
    const std::filesystem::path path = folder / "manifest.json";
    const Json manifest = parse_strict_json(files::read(path), path.string());
    for (const auto& [table, crc32] : manifest.at("tables_crc32").items()) {
      if (crc32 != results::crc32_of_file(folder / table)) return false;
    }
    return manifest.at("point") == run.first && manifest.at("seed") == run.second;
  } catch (const std::exception&) {
    return false;
  }
}

/// The folders of all runs of the experiment, each once.
std::map<RunKey, std::filesystem::path> collect_runs(const std::vector<FoundSlice>& slices,
                                                     BuildDifference difference) {
  std::map<RunKey, std::filesystem::path> runs;
  std::map<RunKey, const FoundSlice*> owners;
  for (const FoundSlice& found : slices) {
    check_same_experiment(slices.front(), found, difference);
    const auto add = [&](std::size_t position, const RunKey& run) {
      if (position % found.slice.of != found.slice.number - 1) return;
      const auto [owner, is_new] = owners.emplace(run, &found);
      if (!is_new) {
        throw InputError(found.folder.string(), "",
                         fmt::format("found {}, which is also in {}; allowed: each slice once",
                                     name_of(run), owner->second->folder.string()));
      }
      runs[run] = run_folder(found.folder, run.first, run.second);
      if (!is_whole(runs[run], run)) {
        throw InputError(found.folder.string(), "",
                         fmt::format("found no {}, or a damaged one; allowed: all runs of slice "
                                     "{}/{} (ina run with that --slice adds missing runs)",
                                     name_of(run), found.slice.number, found.slice.of));
      }
    };
    visit_runs(found, add);
  }
  return runs;
}

/// The folders of all runs, in the order of the experiment. Throws if a run is in none of the
/// slices.
std::vector<std::pair<RunKey, std::filesystem::path>> all_runs(
    const std::vector<FoundSlice>& slices, BuildDifference difference) {
  const auto collected = collect_runs(slices, difference);
  std::vector<std::pair<RunKey, std::filesystem::path>> runs;
  const auto add = [&](std::size_t position, const RunKey& run) {
    const auto found = collected.find(run);
    if (found == collected.end()) {
      const std::uint32_t of = slices.front().slice.of;
      throw InputError(slices.front().folder.string(), "",
                       fmt::format("found {} in none of the folders; allowed: all slices (this run "
                                   "belongs to slice {}/{})",
                                   name_of(run), position % of + 1, of));
    }
    runs.emplace_back(run, found->second);
  };
  visit_runs(slices.front(), add);
  return runs;
}

}  // namespace

std::optional<ExperimentSlice> parse_slice(const std::string& text) {
  const std::size_t bar = text.find('/');
  if (bar == std::string::npos) return std::nullopt;
  const auto number = parse_number(std::string_view(text).substr(0, bar));
  const auto of = parse_number(std::string_view(text).substr(bar + 1));
  if (!number || !of || *number == 0 || *number > *of || *of > kMaxPoints) return std::nullopt;
  return ExperimentSlice{*number, *of};
}

std::vector<const ExperimentPoint*> runs_of(const Experiment& experiment,
                                            const std::optional<ExperimentSlice>& slice) {
  std::vector<const ExperimentPoint*> runs;
  const std::size_t step = slice ? slice->of : 1;
  for (std::size_t i = slice ? slice->number - 1 : 0; i < experiment.points.size(); i += step) {
    runs.push_back(&experiment.points[i]);
  }
  return runs;
}

std::string folder_name_of(const Experiment& experiment,
                           const std::optional<ExperimentSlice>& slice) {
  return slice ? fmt::format("{}-slice-{}-of-{}", experiment.name, slice->number, slice->of)
               : experiment.name;
}

void write_slice(const std::filesystem::path& folder, const Experiment& experiment,
                 const ExperimentSlice& slice, const Build& build) {
  Json content;
  content["slice"] = fmt::format("{}/{}", slice.number, slice.of);
  content["points"] = experiment.points.size() / experiment.seeds.size();
  content["points_crc32"] = crc32_of_points(experiment);
  content["experiment"] = description_of(experiment, build.info);
  files::write(folder / kSliceFile, content.dump(2) + '\n');
}

std::filesystem::path merge_slices(const std::vector<std::filesystem::path>& slices,
                                   const std::filesystem::path& out, BuildDifference difference) {
  std::vector<FoundSlice> found;
  found.reserve(slices.size());
  for (const std::filesystem::path& slice : slices) found.push_back(read_slice(slice));
  const auto runs = all_runs(found, difference);
  const Json& description = found.front().description;
  std::filesystem::path folder = out / description.at("name").get<std::string>();
  if (std::filesystem::exists(std::filesystem::symlink_status(folder))) {
    throw ResultFolderError(
        fmt::format("{} already exists; allowed: another --out, or to remove the folder first",
                    folder.string()));
  }
  const std::filesystem::path unfinished = folder.string() + ".tmp";
  std::filesystem::remove_all(unfinished);  // of a merge that was interrupted
  make_result_folder(unfinished);
  std::vector<std::filesystem::path> copies;
  for (const auto& [run, source] : runs) {
    copies.push_back(run_folder(unfinished, run.first, run.second));
    std::filesystem::copy(source, copies.back(), std::filesystem::copy_options::recursive);
  }
  write_results_of_runs(unfinished, description, copies);
  std::filesystem::rename(unfinished, folder);
  return folder;
}

}  // namespace ina::runs
