// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hw/fields/strict_json.hpp"
#include "scenarios/keys/scenario.hpp"

namespace ina::scenarios {

/// More runs than this are a mistake.
inline constexpr std::size_t kMaxPoints = 10'000;

/// Where a scenario has its variants: the pointer of the axis that their names are.
inline constexpr const char* kVariants = "/variants";

/// Pointer of the key that chooses the system.
inline constexpr const char* kSystem = "/system";

/// One axis of a sweep: a place of the scenario, as a JSON pointer, and the values that it takes.
/// Or that of the variants.
struct SweepAxis {
  std::string pointer;
  std::vector<Json> values;
  std::vector<std::string> labels;  ///< of the values, for people and file names
  std::vector<Json> numbers;  ///< of the values, in base units; empty if they are no quantities
  std::string column;         ///< of the numbers, in tables
};

/// What a swept quantity is in base units, and the column of the tables that it stands in.
struct SweptNumber {
  std::string pointer;
  std::string column;
  Json value;
};

/// One run of an experiment: a point of the sweep, with one seed.
struct ExperimentPoint {
  std::size_t index{0};  ///< of the point; its runs with other seeds have the same
  /// Pointer and printable value of each axis, in the order of the axes.
  std::vector<std::pair<std::string, std::string>> labels;
  /// Of the axes that have numbers, in their order.
  std::vector<SweptNumber> numbers;
  std::uint64_t seed{1};
  /// All but the seed; shared with the points of other seeds, for it may hold large profiles.
  std::shared_ptr<const Scenario> combination;

  /// The scenario of this run.
  Scenario with_seed() const;
  /// The name of its variant; empty if the experiment has none.
  std::string variant() const;
};

/// Whether the tables have a column for an axis that is not named by its pointer: "variant",
/// "system".
bool has_own_column(const std::string& pointer);

/// The line of tables and figures whose JCTs those of the others are divided by.
struct Baseline {
  std::string pointer;  ///< kVariants or kSystem
  std::string name;     ///< of the variant or system

  friend bool operator==(const Baseline&, const Baseline&) = default;
};

/// All that a scenario file asks for: with each seed, every combination of the variants and the
/// sweep's values (the last axis runs fastest).
struct Experiment {
  std::string name;
  std::string description;
  std::vector<SweepAxis> axes;
  std::vector<std::uint64_t> seeds;
  std::vector<ExperimentPoint> points;
  std::optional<Baseline> baseline;
  std::string given;  ///< JSON: the file over those that it extends, and the overrides
};

/// Reads a scenario file and checks every point of its experiment. Each override is
/// "/json/pointer=value", the value JSON or else a string; it replaces what the file says, and the
/// axis of the sweep that has the same pointer. So do `seeds`, such as "1-5", unless they are
/// empty. Throws InputError on anything that is not as docs/reference/scenario says.
Experiment read_experiment(const std::filesystem::path& path,
                           const std::vector<std::string>& overrides = {},
                           const std::string& seeds = "");

}  // namespace ina::scenarios
