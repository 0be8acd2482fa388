// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "hw/fields/object_reader.hpp"
#include "scenarios/keys/scenario.hpp"

namespace ina::scenarios {

/// Compute-time factors: [worker][iteration].
using FactorTable = std::vector<std::vector<double>>;

inline constexpr double kMaxComputeTimeFactor = 1000;

/// Folder of profiles and traces: the value of the environment variable INA_TRACES if it is set,
/// else traces/ in the program's source checkout if it exists, else traces/ in this directory.
std::filesystem::path traces_directory();

/// Reads and caches the files that scenarios name. All functions throw InputError: with the
/// position `pointer` in the scenario if the file does not exist, and with the position in the file
/// if its content is invalid.
class TraceFiles {
 public:
  /// The profile of "path.json", relative to the scenario file, or of `profiles/<name>.json` in
  /// traces_directory().
  const ModelProfile& profile(const Document& document, const std::string& pointer,
                              const std::string& name);

  /// The table in a CSV file with the columns worker (from 0), iteration (from 0 for each worker)
  /// and relative_time. The path is relative to the scenario file or, if no such file exists there,
  /// to traces_directory().
  const FactorTable& compute_time_factors(const Document& document, const std::string& pointer,
                                          const std::string& name);

  /// Rows of [bytes, share] from a CSV file with these columns. `name`: "path.csv", relative to the
  /// scenario file, or the NAME of `flow-sizes/NAME.csv` in traces_directory().
  const std::vector<std::vector<double>>& flow_sizes(const Document& document,
                                                     const std::string& pointer,
                                                     const std::string& name);

 private:
  std::map<std::filesystem::path, ModelProfile> profiles_;
  std::map<std::filesystem::path, FactorTable> factors_;
  std::map<std::filesystem::path, std::vector<std::vector<double>>> flow_sizes_;
};

/// Reads a profile with the keys of visit_profile() and "send_order". Throws InputError.
ModelProfile read_profile(ObjectReader& reader, const std::string& default_name);

/// Reads a scaled part of another profile, with the keys "from" and "scale". Throws InputError.
ModelProfile read_scaled_profile(ObjectReader& reader, TraceFiles& files);

/// Parses compute-time factors from a CSV file. `file`: its name for errors. Throws InputError.
FactorTable parse_compute_time_factors(std::string_view text, const std::string& file);

}  // namespace ina::scenarios
