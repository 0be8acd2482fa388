// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <filesystem>
#include <string_view>

namespace ina::files {

/// A file on its way: written piece by piece beside its target, under a name that nobody can
/// foresee and that was free, until it is whole. Without keep() nothing of it is left; a killed
/// process leaves .ina-*.part behind. output.py does the same. Everything throws
/// std::runtime_error with the path that was given and the reason (permission, full disk).
class PartFile {
 public:
  /// Follows symbolic links.
  explicit PartFile(std::filesystem::path path);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  void write(std::string_view piece);
  /// Gives the file its name, and the permissions of what it replaces.
  void keep();

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  std::filesystem::path target_;
  std::filesystem::path part_;
  std::FILE* file_;
};

}  // namespace ina::files
