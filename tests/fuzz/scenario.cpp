// SPDX-License-Identifier: BSD-3-Clause
// A scenario file and overrides in the syntax of --set, each after a zero byte. It is rejected with
// a one-line message, or it has all of its points and each survives writing and reading.
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/refusal.hpp"
#include "tests/scenarios/scenario_files.hpp"

namespace ina::fuzz {
namespace {

/// The folder also contains the tests' good files, for "extends" and "profile".
const test::ScenarioFolder& folder() {
  static const test::ScenarioFolder made;
  static const bool filled = [] {
    for (const auto& file : test::json_files(test::kTests / "good")) {
      std::filesystem::create_symlink(file, made.path(file.filename()));
    }
    return true;
  }();
  require(filled, "the folder is there");
  return made;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (bool more = true; more;) {
    const auto end = text.find('\0');
    parts.emplace_back(text.substr(0, end));
    more = end != std::string_view::npos;
    text.remove_prefix(more ? end + 1 : text.size());
  }
  return parts;
}

void check_round_trip(const ina::scenarios::ExperimentPoint& point) {
  const auto file =
      folder().write("written.json", ina::scenarios::to_json(point.with_seed()).dump(1));
  const auto again = ina::scenarios::read_experiment(file);
  require(again.points.size() == 1, "a point is written as an experiment of one point");
  require(again.points.front().with_seed() == point.with_seed(),
          "a point that is written is the same");
}

void check(const ina::scenarios::Experiment& experiment) {
  std::size_t combinations = 1;
  for (const auto& axis : experiment.axes) combinations *= axis.values.size();
  const std::size_t expected = combinations * experiment.seeds.size();
  require(experiment.points.size() == expected, "every combination has every seed");
  require(!experiment.points.empty() && expected <= ina::scenarios::kMaxPoints,
          "1 to 10000 points");
  for (std::size_t i = 0; i < expected; ++i) {
    require(experiment.points[i].index == i % combinations, "points are numbered");
    require(experiment.points[i].labels.size() == experiment.axes.size(), "a label for each axis");
  }
  check_round_trip(experiment.points.front());
  check_round_trip(experiment.points.back());
}

}  // namespace
}  // namespace ina::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto overrides = ina::fuzz::split({reinterpret_cast<const char*>(data), size});
  const auto file = ina::fuzz::folder().write("scenario.json", overrides.front());
  overrides.erase(overrides.begin());
  ina::scenarios::Experiment experiment;
  try {
    experiment = ina::scenarios::read_experiment(file, overrides);
  } catch (const ina::fields::InputError& error) {
    ina::fuzz::require_one_clear_line(error, ina::fuzz::folder().path(""));
    return 0;
  }
  ina::fuzz::check(experiment);
  return 0;
}
