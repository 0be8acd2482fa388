// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ina::files {

/// Thrown if a file may not be written at the path that an option names. what() begins with the
/// option and says what is allowed.
class NotWritten : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// First characters of each JSON file that a command writes because of an option. `writer` is the
/// command and the option, such as "ina run --json".
std::string json_mark(std::string_view writer);

/// Path that means the standard output.
inline constexpr std::string_view kStandardOutput = "-";

/// A file that a program writes because an option such as --json asks for it. A mark in its first
/// bytes names the command and the option. An existing file is overwritten only if it has the same
/// mark. hw/files/output.py follows the same rule.
class RequestedFile {
 public:
  /// Does nothing if the path is empty. If it is kStandardOutput, nothing else is printed there.
  /// `mark` is compared with the beginning of an existing file, ignoring blanks. Throws NotWritten,
  /// before any work, if the file cannot be written or would replace a file of another origin.
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
