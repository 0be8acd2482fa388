// SPDX-License-Identifier: BSD-3-Clause
#include "hw/processes/cluster_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "hw/fields/input_error.hpp"
#include "hw/fields/strict_json.hpp"
#include "hw/processes/input_error.hpp"

namespace ina::processes {

cluster::Spec read_cluster_file(const std::string& path, const cluster::SettingsFields& settings) {
  if (std::error_code error; std::filesystem::is_directory(path, error)) {
    throw InputError(path +
                     ": found a folder; allowed: a cluster file, as `ina-sim plan` prints it");
  }
  std::ifstream file(path);
  if (!file) throw InputError(path + ": " + std::strerror(errno));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  try {
    return cluster::read_spec(fields::parse_strict_json(text, path), path, settings);
  } catch (const fields::InputError& error) {
    throw InputError(error.what());
  }
}

}  // namespace ina::processes
