// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace ina::testing {

/// A report that grows: the file holds all rows that are known, so that an interrupt loses none.
class JsonFile {
 public:
  /// Without a path nothing is written. Throws std::invalid_argument if it cannot be.
  explicit JsonFile(std::string path) : path_(std::move(path)) {
    if (!path_.empty() && !write()) throw std::invalid_argument(path_ + ": cannot be written");
  }

  void add(nlohmann::json row) {
    rows_.push_back(std::move(row));
    if (!path_.empty() && !write()) throw std::runtime_error(path_ + ": cannot be written");
  }

 private:
  bool write() const {
    std::ofstream file(path_);
    file << rows_.dump(2) << '\n';
    file.close();
    return !file.fail();
  }

  std::string path_;
  nlohmann::json rows_ = nlohmann::json::array();
};

}  // namespace ina::testing
