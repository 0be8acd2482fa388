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

/// Maximum number of runs of an experiment. More are probably a mistake of the user.
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
  std::string column;               ///< name of the numbers' table column
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
  /// Numbers of the axes that have them, in the order of the axes.
  std::vector<SweptNumber> numbers;
  std::uint64_t seed{1};
  /// Scenario without its seed. All seeds of a point share it, since profiles may be large.
  std::shared_ptr<const Scenario> combination;

  /// The scenario of this run.
  Scenario with_seed() const;
  /// The name of its variant; empty if the experiment has none.
  std::string variant() const;
};

/// Whether the axis has a special name in tables ("variant", "system") instead of its
/// pointer.
bool has_own_column(const std::string& pointer);

/// The variant or system by whose JCT tables and figures divide the JCTs of the others.
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
/// "/json/pointer=value"; a value that is not JSON is a string. It replaces the key in the file,
/// and the sweep axis with that pointer. Unless it is empty, `seeds`, such as "1-5", replaces the
/// seeds. Throws InputError if the file or an override violates docs/reference/scenario.
Experiment read_experiment(const std::filesystem::path& path,
                           const std::vector<std::string>& overrides = {},
                           const std::string& seeds = "");

}  // namespace ina::scenarios
