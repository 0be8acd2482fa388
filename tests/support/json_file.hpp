// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "hw/files/requested_file.hpp"

namespace ina::testing {

/// A report that grows by rows. The file always holds all rows so far, so that an interrupted run
/// loses none.
class JsonFile {
 public:
  /// Output file of the option --json of `writer`, such as "ina explore": an object with a list of
  /// rows. If `path` is empty, nothing is written. Throws files::NotWritten.
  JsonFile(std::filesystem::path path, const std::string& writer, std::string list)
      : file_("--json", checked(std::move(path)), files::json_mark(writer + " --json")),
        list_(std::move(list)),
        content_{{"written_by", writer + " --json"}, {list_, nlohmann::ordered_json::array()}} {}

  /// Throws std::runtime_error if it cannot be written.
  void add(nlohmann::ordered_json row) {
    content_[list_].push_back(std::move(row));
    file_.write(content_.dump(2) + '\n');
  }

 private:
  static std::filesystem::path checked(std::filesystem::path path) {
    if (path == files::kStandardOutput) {
      throw files::NotWritten("--json: -; allowed: a file, which is written again for each row");
    }
    return path;
  }

  files::RequestedFile file_;
  std::string list_;
  nlohmann::ordered_json content_;
};

}  // namespace ina::testing
