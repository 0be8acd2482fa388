// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ina::files {

/// A path from the command line at which the file may not be written. what() begins with the option
/// and says what is allowed.
class NotWritten : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// First characters of JSON that a command's option writes. `writer` is command and option, such as
/// "ina run --json".
std::string json_mark(std::string_view writer);

/// Path that means the standard output.
inline constexpr std::string_view kStandardOutput = "-";

/// A file that a program writes because an option such as --json asks for it. A mark in its first
/// bytes names command and option. Only files with the same mark are overwritten. output.py does
/// the same.
class RequestedFile {
 public:
  /// Does nothing if the path is empty. With kStandardOutput as the path, all other output is
  /// suppressed. `mark` is the beginning of our file, ignoring blanks. Checks before any work:
  /// throws NotWritten if the file would destroy something or cannot be written.
  RequestedFile(std::string option, std::filesystem::path path, std::string_view mark);

  /// Writes the whole file or nothing, after another check of the path. Throws NotWritten or
  /// std::runtime_error.
  void write(std::string_view content) const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool wanted() const { return !path_.empty(); }

 private:
  void check() const;

  std::string option_;
  std::filesystem::path path_;
  std::string mark_;
};

}  // namespace ina::files
