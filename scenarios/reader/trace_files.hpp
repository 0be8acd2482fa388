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

/// The folder of profiles and traces: environment variable INA_TRACES, else traces/ of the checkout
/// in which the program was built, else traces/ of the working directory.
std::filesystem::path traces_directory();

/// Model profiles and compute-time factors, which scenarios name, from their files; each file is
/// read once. All functions throw InputError: at the pointer if what stands there names no file,
/// else with the place in the file.
class TraceFiles {
 public:
  /// The profile in "path.json", relative to the scenario file, or in `profiles/<name>.json` of
  /// traces_directory().
  const ModelProfile& profile(const Document& document, const std::string& pointer,
                              const std::string& name);

  /// The table in a CSV file whose path is relative to the scenario file or, if there is none, to
  /// traces_directory(). Columns worker (from 0), iteration (from 0 for each worker),
  /// relative_time.
  const FactorTable& compute_time_factors(const Document& document, const std::string& pointer,
                                          const std::string& name);

  /// Rows of [bytes, share] in a CSV file, whose path is relative to the scenario file, or in
  /// `flow-sizes/<name>.csv` of traces_directory(). Columns bytes, share.
  const std::vector<std::vector<double>>& flow_sizes(const Document& document,
                                                     const std::string& pointer,
                                                     const std::string& name);

 private:
  std::map<std::filesystem::path, ModelProfile> profiles_;
  std::map<std::filesystem::path, FactorTable> factors_;
  std::map<std::filesystem::path, std::vector<std::vector<double>>> flow_sizes_;
};

/// A profile from an object: keys of visit_profile() and "send_order". Throws InputError.
ModelProfile read_profile(ObjectReader& reader, const std::string& default_name);

/// A part of another profile, from an object with "from" and "scale". Throws InputError.
ModelProfile read_scaled_profile(ObjectReader& reader, TraceFiles& files);

/// Compute-time factors from the rows of a CSV file; `file` is for messages. Throws InputError.
FactorTable parse_compute_time_factors(std::string_view text, const std::string& file);

}  // namespace ina::scenarios
