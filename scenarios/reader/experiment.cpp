// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/experiment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>

#include "hw/fields/input_error.hpp"
#include "hw/fields/quantity.hpp"
#include "scenarios/reader/baseline.hpp"
#include "scenarios/reader/scenario_document.hpp"
#include "scenarios/reader/scenario_reader.hpp"
#include "scenarios/reader/seed_list.hpp"
#include "scenarios/reader/swept_numbers.hpp"
#include "scenarios/reader/trace_files.hpp"
#include "scenarios/reader/variants.hpp"
#include "scenarios/resolve/memory_estimate.hpp"
#include "scenarios/resolve/sizes.hpp"

namespace ina::scenarios {

namespace {

constexpr std::size_t kMaxContextBytes = 500;

Json parse_override_value(const std::string& text, const std::string& origin) {
  if (Json::accept(text)) {
    return parse_strict_json(text, origin);
  }
  Json value = text;
  try {
    value.dump();
  } catch (const Json::type_error&) {
    throw InputError(origin, "", "found a value that is not UTF-8; allowed: JSON or text in UTF-8");
  }
  return value;
}

void apply_override(ScenarioDocument& document, const std::string& text) {
  const Origin origin{document.path().string() + " (--set)", document.path().parent_path()};
  const auto equals = text.find('=');
  if (equals == std::string::npos) {
    throw InputError(origin.file, "",
                     fmt::format("found \"{}\"; allowed: /json/pointer=value", shorten(text)));
  }
  if (equals > kMaxPointerBytes) {
    throw InputError(origin.file, "",
                     fmt::format("found \"{}\"; allowed: a JSON pointer of at most {} bytes",
                                 shorten(text), kMaxPointerBytes));
  }
  auto pointer = text.substr(0, equals);
  try {
    pointer = join_pointer(split_pointer(pointer));
  } catch (const std::invalid_argument& error) {
    throw InputError(origin.file, "",
                     fmt::format("found \"{}\"; allowed: {}", shorten(text), error.what()));
  }
  if (pointer == "/extends" || is_below(pointer, "/extends")) {
    throw InputError(
        origin.file, pointer,
        "found an override of extends, which is read before all overrides; allowed: any other key");
  }
  check_variant_exists(document, pointer, origin.file);
  document.set(pointer, parse_override_value(text.substr(equals + 1), origin.file), origin,
               pointer);
  if (pointer == kVariants && document.root()["variants"] == Json::object()) {
    document.erase("", "variants");
  }
  check_override(document, pointer, origin.file);
  document.erase("/sweep", pointer);
  if (document.root().contains("sweep") && document.root()["sweep"].is_object()) {
    for (const auto& [axis, values] : document.root()["sweep"].items()) {
      if (is_below(pointer, axis)) {
        throw InputError(origin.file, pointer,
                         fmt::format("found an override of a part of {}, an axis of the sweep; "
                                     "allowed: an override of the whole axis",
                                     axis));
      }
    }
  }
}

/// The name of a value: the text itself, or the "name" of an object. Empty for other values.
std::string name_of(const Json& value) {
  const Json& named = value.is_object() && value.contains("name") ? value["name"] : value;
  return named.is_string() ? named.get<std::string>() : "";
}

/// Number of values of an axis per name.
using NameCounts = std::map<std::string, std::size_t>;

NameCounts count_names(const Json& values) {
  NameCounts counts;
  for (const auto& value : values) {
    ++counts[name_of(value)];
  }
  return counts;
}

/// Label of an axis value, for people and file names: the text itself, the name of an object if the
/// name is unique on the axis, or otherwise JSON.
std::string label(const Json& value, const NameCounts& names) {
  std::string name = name_of(value);
  if (value.is_string() || (!name.empty() && names.at(name) == 1)) {
    return name;
  }
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Canonical form of a key of "sweep", which is a JSON pointer. Throws InputError if the pointer
/// cannot be an axis.
std::string read_axis_pointer(const ScenarioDocument& document, const std::string& key,
                              const std::string& place) {
  std::vector<std::string> keys;
  try {
    keys = split_pointer(key);
  } catch (const std::invalid_argument& error) {
    document.fail(place,
                  fmt::format("found the key \"{}\"; allowed: {}", shorten(key), error.what()));
  }
  if (std::ranges::find(kSameForAllRuns, keys.front()) != kSameForAllRuns.end()) {
    document.fail(
        place,
        fmt::format("found \"{}\", which is the same for all runs; allowed: any key except {}",
                    keys.front(), fmt::join(kSameForAllRuns, ", ")));
  }
  return join_pointer(keys);
}

SweepAxis read_axis(const ScenarioDocument& document, const std::string& key, const Json& values,
                    const std::string& place) {
  SweepAxis axis{read_axis_pointer(document, key, place), {}, {}, {}, {}};
  if (!values.is_array() || values.empty()) {
    document.fail(
        place, fmt::format("found {}; allowed: an array of at least one value", describe(values)));
  }
  const auto names = count_names(values);
  std::set<std::string> labels;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto text = label(values[i], names);
    if (!labels.insert(text).second) {
      document.fail(pointer_to(place, i),
                    fmt::format("found {} twice; allowed: different values", shorten(text)));
    }
    axis.values.push_back(values[i]);
    axis.labels.push_back(text);
  }
  return axis;
}

std::vector<SweepAxis> read_axes(const ScenarioDocument& document) {
  const auto sweep = document.root().find("sweep");
  std::vector<SweepAxis> axes;
  if (sweep == document.root().end()) {
    return axes;
  }
  if (!sweep->is_object()) {
    document.fail("/sweep",
                  fmt::format("found {}; allowed: an object of JSON pointers and arrays of values",
                              describe(*sweep)));
  }
  for (const auto& [key, values] : sweep->items()) {
    const auto place = pointer_to("/sweep", key);
    auto axis = read_axis(document, key, values, place);
    for (const auto& earlier : axes) {
      if (is_below(earlier.pointer, axis.pointer)) {
        document.fail(
            place,
            fmt::format(
                "found an axis that would replace the earlier axis {}; allowed: this axis first",
                earlier.pointer));
      }
    }
    axes.push_back(std::move(axis));
  }
  number_axes(axes);
  return axes;
}

/// The key that determines the number of runs, apart from the seeds.
const char* place_of(const std::vector<SweepAxis>& axes) {
  const bool is_swept = axes.empty() || axes.back().pointer != kVariants;
  return is_swept ? "/sweep" : kVariants;
}

/// The number of combinations of all values. Throws InputError if there are too many runs.
std::size_t count_combinations(const ScenarioDocument& document, const std::vector<SweepAxis>& axes,
                               std::size_t seeds) {
  std::size_t combinations = 1;
  for (const auto& axis : axes) {
    combinations *= axis.values.size();
    if (combinations * seeds > kMaxPoints) {
      document.fail(place_of(axes),
                    fmt::format("found more than {0} runs, with {1} seeds; allowed: at most {0}",
                                kMaxPoints, seeds));
    }
  }
  return combinations;
}

/// The point of a combination, without seed.
ExperimentPoint read_point(ScenarioDocument document, const std::vector<SweepAxis>& axes,
                           std::size_t combination, TraceFiles& files) {
  ExperimentPoint point;
  point.index = combination;
  std::vector<std::size_t> choice(axes.size());
  for (std::size_t a = axes.size(); a-- > 0; combination /= axes[a].values.size()) {
    choice[a] = combination % axes[a].values.size();
  }
  std::string context;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const auto& value = axes[a].values[choice[a]];
    if (axes[a].pointer == kVariants) {
      apply_variant(document, value.get<std::string>());
    } else {
      const auto place = pointer_to("/sweep", axes[a].pointer);
      document.set(axes[a].pointer, value, document.origin_of(place), place);
    }
    const auto& text = axes[a].labels[choice[a]];
    point.labels.emplace_back(axes[a].pointer, text);
    if (!axes[a].numbers.empty()) {
      point.numbers.push_back({axes[a].pointer, axes[a].column, axes[a].numbers[choice[a]]});
    }
    context += fmt::format("{}{}={}", a == 0 ? "" : ", ", axes[a].pointer, shorten(text));
  }
  try {
    point.combination = std::make_shared<const Scenario>(read_scenario(document, files));
  } catch (const InputError& error) {
    if (axes.empty()) {
      throw;
    }
    throw InputError(
        error.file(), error.place(),
        fmt::format("{} (with {})", error.message(), shorten(context, kMaxContextBytes)));
  }
  return point;
}

}  // namespace

Scenario ExperimentPoint::with_seed() const {
  Scenario scenario = *combination;
  scenario.seed = seed;
  return with_sizes(std::move(scenario), Network(combination->topology, seed));
}

std::string ExperimentPoint::variant() const {
  const bool has_one = !labels.empty() && labels.front().first == kVariants;
  return has_one ? labels.front().second : "";
}

bool has_own_column(const std::string& pointer) {
  return pointer == kVariants || pointer == kSystem;
}

Experiment read_experiment(const std::filesystem::path& path,
                           const std::vector<std::string>& overrides, const std::string& seeds) {
  auto document = ScenarioDocument::read_extended(path);
  for (const auto& text : overrides) {
    apply_override(document, text);
  }
  if (!seeds.empty()) {
    const Origin origin{path.string() + " (--seeds)", path.parent_path()};
    document.set("/seeds", seeds, origin, "/seeds");
  }
  Experiment experiment;
  experiment.seeds = document.root().contains("seeds")
                         ? read_seeds(document, "/seeds", document.root()["seeds"], kMaxPoints)
                         : std::vector<std::uint64_t>{1};
  experiment.axes = read_axes(document);
  if (auto variants = read_variants(document, experiment.axes)) {
    experiment.axes.insert(experiment.axes.begin(), std::move(*variants));
  }
  const auto combinations = count_combinations(document, experiment.axes, experiment.seeds.size());
  TraceFiles files;
  std::vector<ExperimentPoint> points;
  std::uint64_t bytes = 0;
  for (std::size_t combination = 0; combination < combinations; ++combination) {
    points.push_back(read_point(document, experiment.axes, combination, files));
    for (const JobScenario& job : points.back().combination->jobs) {
      bytes += bytes_of(job);
    }
    if (bytes > kMaxExperimentBytes) {
      document.fail(place_of(experiment.axes),
                    fmt::format("found {0} combinations whose layers and compute-time factors take "
                                "more than {1} of memory; allowed: at most {1}",
                                combinations, format_bytes(kMaxExperimentBytes)));
    }
  }
  for (const auto seed : experiment.seeds) {
    for (auto& point : points) {
      point.seed = seed;
      experiment.points.push_back(point);
    }
  }
  experiment.baseline = read_baseline(document, experiment);
  experiment.name = points.front().combination->name;
  experiment.description = points.front().combination->description;
  experiment.given = document.root().dump();
  return experiment;
}

}  // namespace ina::scenarios
