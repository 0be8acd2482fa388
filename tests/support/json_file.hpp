// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace ina::testing {

/// A report that grows: the file always holds all that is known, so that an interrupt loses
/// nothing.
class JsonFile {
 public:
  /// Without a path nothing is written. Throws std::invalid_argument if it cannot be.
  explicit JsonFile(std::string path) : path_(std::move(path)) {
    if (path_.empty()) return;
    if (!std::ofstream(path_, std::ios::app)) {
      throw std::invalid_argument(path_ + ": cannot be written");
    }
    write();
  }

  void add(nlohmann::json row) {
    rows_.push_back(std::move(row));
    if (!path_.empty()) write();
  }

 private:
  void write() const {
    const std::string whole = path_ + ".part";
    std::ofstream file(whole);
    file << rows_.dump(2) << '\n';
    file.close();
    if (!file) throw std::runtime_error(whole + ": cannot be written");
    std::filesystem::rename(whole, path_);
  }

  std::string path_;
  nlohmann::json rows_ = nlohmann::json::array();
};

}  // namespace ina::testing
