// SPDX-License-Identifier: BSD-3-Clause
// Files for the tests of the scenario reader.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "hw/fields/input_error.hpp"
#include "scenarios/reader/experiment.hpp"
#include "scenarios/reader/scenario_reader.hpp"

namespace ina::test {

inline const std::filesystem::path kTests = INA_SOURCE_DIR "/tests/scenarios";

/// Temporary folder of a test. While it exists, INA_TRACES is the tests' own folder of traces.
class ScenarioFolder {
 public:
  ScenarioFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "ina-scenario-XXXXXX").string();
    path_ = mkdtemp(name.data());
    setenv("INA_TRACES", (kTests / "traces").c_str(), 1);
  }
  ~ScenarioFolder() {
    unsetenv("INA_TRACES");
    std::filesystem::remove_all(path_);
  }
  ScenarioFolder(const ScenarioFolder&) = delete;
  ScenarioFolder& operator=(const ScenarioFolder&) = delete;

  std::filesystem::path path(const std::string& name) const { return path_ / name; }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const auto file = path(name);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

  /// Error message of reading the file, without the folder's path; "no error" if there is none.
  std::string error(const std::filesystem::path& file,
                    const std::vector<std::string>& overrides = {}) const {
    try {
      ina::scenarios::read_experiment(file, overrides);
    } catch (const ina::scenarios::InputError& error) {
      return without(error.what(), path_.string() + "/");
    }
    return "no error";
  }

  /// The text without any occurrence of `part`.
  static std::string without(std::string text, const std::string& part) {
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part)) {
      text.erase(at, part.size());
    }
    return text;
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_text(const std::filesystem::path& file) {
  return ina::scenarios::read_text_file(file);
}

/// The scenario files of a folder, sorted.
inline std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".json") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace ina::test
