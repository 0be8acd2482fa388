// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ina::files {

/// A path that somebody gave for a file and where none may be written; what() begins with the
/// option and says what is allowed.
class NotWritten : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What JSON begins with that an option of a command writes, its writer, such as "ina run --json".
std::string json_mark(std::string_view writer);

/// The path that stands for the standard output.
inline constexpr std::string_view kStandardOutput = "-";

/// What a program writes because an option such as --json asks for it. Such a file carries a mark
/// in its first bytes, which tells command and option, by which it is known when it is to be
/// written again; nothing else is ever overwritten. output.py does the same.
class RequestedFile {
 public:
  /// Does nothing if the path is empty. With kStandardOutput as the path nothing else that is
  /// printed arrives. `mark` is what our file begins with, blanks apart. Throws
  /// NotWritten if the file would destroy something or cannot be written: before any work.
  RequestedFile(std::string option, std::filesystem::path path, std::string_view mark);

  /// Writes the file whole, or not at all; checks again what stands there. Throws NotWritten or
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
