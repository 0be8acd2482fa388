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

/// Folder of profiles and traces: environment variable INA_TRACES, else traces/ of the checkout
/// that the program was built in, else traces/ of the working directory.
std::filesystem::path traces_directory();

/// Reads and caches the files of model profiles and compute-time factors that scenarios name. All
/// functions throw InputError: at the pointer if there is no such file, otherwise at the position
/// in the file.
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

  /// Rows of [bytes, share] in a CSV file with these columns. The name is "path.csv", relative to
  /// the scenario file, or that of `flow-sizes/<name>.csv` in traces_directory().
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
