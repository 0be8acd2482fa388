// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/results/streamed_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace ina::results {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 16;

/// Refuses pipes, since opening one would block until another process opens it for writing.
std::ifstream open_regular(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream file;
  if (std::filesystem::is_regular_file(path)) {
    file.open(path, std::ios::binary);
  }
  if (!file.is_open()) {
    throw std::runtime_error(fmt::format("{}: cannot be read: {}", path.string(),
                                         errno == 0 ? "not a regular file" : std::strerror(errno)));
  }
  return file;
}

/// Calls take(piece) for each piece of a file, from its current position.
template <typename Take>
void for_each_piece(std::ifstream& file, const std::filesystem::path& path, Take take) {
  std::array<char, kPieceBytes> piece;
  while (file) {
    file.read(piece.data(), piece.size());
    take(std::string_view(piece.data(), static_cast<std::size_t>(file.gcount())));
  }
  if (!file.eof()) {
    throw std::runtime_error(
        fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
  }
}

}  // namespace

StreamedFile::StreamedFile(const std::filesystem::path& path) : file_(path) {}

void StreamedFile::write(std::string_view piece) {
  checksum_.add(piece);
  file_.write(piece);
}

void StreamedFile::append(const std::filesystem::path& other, unsigned skipped_lines) {
  std::ifstream file = open_regular(other);
  for (std::string line; skipped_lines > 0 && std::getline(file, line); --skipped_lines) {
  }
  for_each_piece(file, other, [this](std::string_view piece) { write(piece); });
}

std::string StreamedFile::finish() {
  file_.keep();
  return checksum_.written();
}

std::string crc32_of_file(const std::filesystem::path& path) {
  std::ifstream file = open_regular(path);
  Crc32 checksum;
  for_each_piece(file, path, [&checksum](std::string_view piece) { checksum.add(piece); });
  return checksum.written();
}

}  // namespace ina::results
