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

/// Maximum number of runs of an experiment. A larger number is probably a mistake of the user.
inline constexpr std::size_t kMaxPoints = 10'000;

/// Pointer of the axis of variants, whose values are their names.
inline constexpr const char* kVariants = "/variants";

/// Pointer of the key that chooses the system.
inline constexpr const char* kSystem = "/system";

/// One axis of a sweep: a JSON pointer to a key of the scenario, and the values that the key takes.
/// The variants are an axis, too.
struct SweepAxis {
  std::string pointer;
  std::vector<Json> values;
  std::vector<std::string> labels;  ///< texts of the values, for tables and file names
  std::vector<Json> numbers;        ///< values in base units; empty if they are not quantities
  std::string column;               ///< name of the table column with the numbers
};

/// A swept quantity in base units, with its table column.
struct SweptNumber {
  std::string pointer;
  std::string column;
  Json value;
};

/// One run of an experiment: a point of the sweep, with one seed.
struct ExperimentPoint {
  std::size_t index{0};  ///< number of the point, the same for all its seeds
  /// Pointer and printable value of each axis, in the order of the axes.
  std::vector<std::pair<std::string, std::string>> labels;
  /// Values of the axes whose values are quantities, in the order of the axes.
  std::vector<SweptNumber> numbers;
  std::uint64_t seed{1};
  /// Scenario without its seed. All seeds of a point share it, since profiles may be large.
  std::shared_ptr<const Scenario> combination;

  /// The scenario of this run.
  Scenario with_seed() const;
  /// The name of this run's variant; empty if the experiment has no variants.
  std::string variant() const;
};

/// Whether the axis has a special name in tables ("variant", "system") instead of its
/// pointer.
bool has_own_column(const std::string& pointer);

/// The variant or system to compare with: tables and figures divide other JCTs by its JCT.
struct Baseline {
  std::string pointer;  ///< kVariants or kSystem
  std::string name;     ///< name of the variant or system

  friend bool operator==(const Baseline&, const Baseline&) = default;
};

/// All runs of a scenario file: for each seed, every combination of the variants and the values of
/// the sweep. The last axis varies fastest.
struct Experiment {
  std::string name;
  std::string description;
  std::vector<SweepAxis> axes;
  std::vector<std::uint64_t> seeds;
  std::vector<ExperimentPoint> points;
  std::optional<Baseline> baseline;
  std::string given;  ///< JSON of the file, merged with the files that it extends and the overrides
};

/// Reads a scenario file and checks every point of its experiment. Each override has the form
/// "/json/pointer=value"; a value that is not JSON is a string. An override replaces the value in
/// the file, and the sweep's axis with that pointer. `seeds`, such as "1-5", replaces the file's
/// seeds unless it is "". Throws InputError if a file or override violates docs/reference/scenario.
Experiment read_experiment(const std::filesystem::path& path,
                           const std::vector<std::string>& overrides = {},
                           const std::string& seeds = "");

}  // namespace ina::scenarios
