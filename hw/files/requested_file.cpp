// SPDX-License-Identifier: BSD-3-Clause
#include "hw/files/requested_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <utility>

#include "hw/files/standard_output.hpp"
#include "hw/files/whole_file.hpp"

namespace ina::files {

namespace {

namespace fs = std::filesystem;

/// Longer than a mark with blanks.
constexpr std::size_t kHeadBytes = 256;

/// Whether a file begins with the mark, ignoring blanks.
bool begins_with(const fs::path& path, const std::string& mark) {
  std::ifstream file(path, std::ios::binary);
  std::string head(kHeadBytes, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  const auto without_blanks = [](std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
    return text;
  };
  return without_blanks(head).starts_with(without_blanks(mark));
}

/// An empty file may be overwritten.
bool has_content(const fs::path& path) {
  return files::is_replaced(path) && fs::exists(path) && !fs::is_empty(path);
}

}  // namespace

std::string json_mark(std::string_view writer) {
  return fmt::format(R"({{"written_by":"{}")", writer);
}

RequestedFile::RequestedFile(std::string option, fs::path path, std::string_view mark)
    : option_(std::move(option)), path_(std::move(path)), mark_(mark) {
  if (path_ == kStandardOutput) {
    path_ = "/dev/stdout";
    mute_standard_output();
  }
  check();
}

void RequestedFile::write(std::string_view content) const {
  if (!wanted()) return;
  check();
  files::write(path_, content);
}

void RequestedFile::check() const {
  if (!wanted()) return;
  if (const std::string reason = why_not_writable(path_); !reason.empty()) {
    throw NotWritten(fmt::format("{}: {}: {}; allowed: a file that can be written", option_,
                                 path_.string(), reason));
  }
  if (has_content(path_) && !begins_with(path_, mark_)) {
    throw NotWritten(
        fmt::format("{0}: {1} contains something that {0} did not write; allowed: a new file, or a "
                    "file that {0} wrote",
                    option_, path_.string()));
  }
}

}  // namespace ina::files
