// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/reader/baseline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <string>
#include <vector>

#include "hw/fields/input_error.hpp"

namespace ina::scenarios {

namespace {

const char* const kDefaultSystem = "dsa";
const char* const kDefaultVariant = "DSA";

/// Lines of the tables and figures: the variants, and also the systems if they are swept. Without
/// variants and swept systems, the only line is the experiment's system, which is not an axis.
std::vector<Baseline> lines_of(const Experiment& experiment) {
  std::vector<Baseline> lines;
  for (const SweepAxis& axis : experiment.axes) {
    if (!has_own_column(axis.pointer)) continue;
    for (const std::string& label : axis.labels) lines.push_back({axis.pointer, label});
  }
  if (lines.empty()) {
    const System only = experiment.points.front().combination->system;
    lines.push_back({kSystem, std::string(cluster::name_of(only))});
  }
  return lines;
}

std::optional<Baseline> default_of(const std::vector<Baseline>& lines) {
  for (const Baseline& line :
       {Baseline{kSystem, kDefaultSystem}, Baseline{kVariants, kDefaultVariant}}) {
    if (std::ranges::find(lines, line) != lines.end()) return line;
  }
  return std::nullopt;
}

std::vector<std::string> names_of(const std::vector<Baseline>& lines) {
  std::vector<std::string> names;
  names.reserve(lines.size());
  for (const Baseline& line : lines) names.push_back(line.name);
  return names;
}

}  // namespace

std::optional<Baseline> read_baseline(const ScenarioDocument& document,
                                      const Experiment& experiment) {
  const std::vector<Baseline> lines = lines_of(experiment);
  const auto given = document.root().find("baseline");
  if (given == document.root().end()) return default_of(lines);
  const auto named =
      std::ranges::find_if(lines, [&](const Baseline& line) { return *given == line.name; });
  if (named == lines.end()) {
    document.fail("/baseline", fmt::format("found {}; allowed: \"{}\"", describe(*given),
                                           fmt::join(names_of(lines), "\", \"")));
  }
  return *named;
}

}  // namespace ina::scenarios
