// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <filesystem>
#include <string_view>

namespace ina::files {

/// An unfinished file. It is written piece by piece next to its target, under an unpredictable
/// unused name. If keep() is not called, it is deleted. A process that is killed leaves a file
/// .ina-*.part behind. hw/files/output.py writes files in the same way. All functions throw
/// std::runtime_error with the given path and the reason (permission, full disk).
class PartFile {
 public:
  /// Follows symbolic links.
  explicit PartFile(std::filesystem::path path);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  void write(std::string_view piece);
  /// Renames the file to its target, with the permissions of the file that it replaces.
  void keep();

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  std::filesystem::path target_;
  std::filesystem::path part_;
  std::FILE* file_;
};

}  // namespace ina::files
