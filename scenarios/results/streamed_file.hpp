// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "hw/files/part_file.hpp"
#include "scenarios/results/crc32.hpp"

namespace ina::results {

/// A file that is written piece by piece, with the CRC-32 of what it holds; there is none before it
/// is whole. For what may be larger than the memory. Everything throws std::runtime_error with the
/// path and the reason.
class StreamedFile {
 public:
  explicit StreamedFile(const std::filesystem::path& path);

  void write(std::string_view piece);
  /// The lines of another file, without its first ones.
  void append(const std::filesystem::path& other, unsigned skipped_lines);
  /// Gives the file its name; returns its checksum as manifests have it.
  std::string finish();

 private:
  files::PartFile file_;
  Crc32 checksum_;
};

/// The CRC-32 of a file, as manifests have it.
std::string crc32_of_file(const std::filesystem::path& path);

}  // namespace ina::results
