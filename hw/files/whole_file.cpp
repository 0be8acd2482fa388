// SPDX-License-Identifier: BSD-3-Clause
#include "hw/files/whole_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace ina::files {

namespace {

namespace fs = std::filesystem;

/// As the kernel allows.
constexpr int kMostLinks = 40;

/// What is no file, a pipe or a device, is not replaced.
bool is_replaced(const fs::path& path) { return !fs::exists(path) || fs::is_regular_file(path); }

/// The place that is replaced: behind symbolic links, also if nothing is there yet.
fs::path place_of(fs::path path) {
  std::error_code broken;
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, broken); ++i) {
    path = path.parent_path() / fs::read_symlink(path);
  }
  return path;
}

std::runtime_error trouble(const fs::path& path, const char* what) {
  return std::runtime_error(
      fmt::format("{}: cannot be {}: {}", path.string(), what, std::strerror(errno)));
}

}  // namespace

std::string why_not_writable(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) return std::strerror(EISDIR);
  if (!fs::status_known(status)) return error.message();
  if (!is_replaced(path)) return access(path.c_str(), W_OK) == 0 ? "" : std::strerror(errno);
  const fs::path place = place_of(path);
  const fs::path parent = place.has_parent_path() ? place.parent_path() : ".";
  return access((parent / "").c_str(), W_OK | X_OK) == 0 ? "" : std::strerror(errno);
}

void write(const fs::path& path, std::string_view content) {
  const bool replace = is_replaced(path);
  const fs::path place = replace ? place_of(path) : path;
  const fs::path target = replace ? fs::path(place.string() + ".tmp") : place;
  errno = 0;
  std::ofstream file(target, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) {
    const std::runtime_error error = trouble(path, "written");
    std::error_code ignored;
    if (replace) fs::remove(target, ignored);
    throw error;
  }
  if (replace) fs::rename(target, place);
}

std::string read(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
    throw std::runtime_error(fmt::format("{}: cannot be read: it is no file", path.string()));
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw trouble(path, "read");
  return content;
}

std::string reason_of(const std::exception& error) {
  const auto* trouble = dynamic_cast<const fs::filesystem_error*>(&error);
  return trouble == nullptr
             ? error.what()
             : fmt::format("{}: {}", trouble->path1().string(), trouble->code().message());
}

}  // namespace ina::files
