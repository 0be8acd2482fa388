// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "hw/files/part_file.hpp"
#include "scenarios/results/crc32.hpp"

namespace ina::results {

/// A file that is written piece by piece, may be larger than memory, and gets its final name only
/// when it is complete. Computes the CRC-32 of the content. All functions throw std::runtime_error
/// with the path and the reason.
class StreamedFile {
 public:
  explicit StreamedFile(const std::filesystem::path& path);

  void write(std::string_view piece);
  /// Appends the lines of another file, without its first `skipped_lines` lines.
  void append(const std::filesystem::path& other, unsigned skipped_lines);
  /// Renames the complete file to its final name. Returns its checksum in the format of manifests.
  std::string finish();

 private:
  files::PartFile file_;
  Crc32 checksum_;
};

/// CRC-32 of a file in the format of manifests.
std::string crc32_of_file(const std::filesystem::path& path);

}  // namespace ina::results
