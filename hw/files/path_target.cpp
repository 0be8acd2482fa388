// SPDX-License-Identifier: BSD-3-Clause
#include "hw/files/path_target.hpp"

#include <charconv>
#include <string>
#include <system_error>

namespace ina::files {

namespace {

namespace fs = std::filesystem;

/// The kernel's limit.
constexpr int kMostLinks = 40;

/// Follows one link.
fs::path behind(const fs::path& link) { return link.parent_path() / fs::read_symlink(link); }

/// NUMBER of a path /proc/self/fd/NUMBER, whose folder may be reached through links.
std::optional<int> descriptor_named(const fs::path& path) {
  std::error_code error;
  const fs::path folder = fs::canonical(path.parent_path() / "", error);
  if (error || folder != fs::canonical("/proc/self/fd", error) || error) return std::nullopt;
  const std::string name = path.filename().string();
  int number = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
  if (read.ec != std::errc() || read.ptr != name.data() + name.size()) return std::nullopt;
  return number;
}

}  // namespace

fs::path target_of(const fs::path& path) {
  fs::path target = path;
  std::error_code broken;
  for (int i = 0; i < kMostLinks && fs::is_symlink(target, broken); ++i) target = behind(target);
  return target;
}

std::optional<int> own_descriptor(const fs::path& path) {
  fs::path target = path;
  std::error_code broken;
  for (int i = 0; i < kMostLinks; ++i) {
    if (const auto descriptor = descriptor_named(target)) return descriptor;
    if (!fs::is_symlink(target, broken)) break;
    target = behind(target);
  }
  return std::nullopt;
}

}  // namespace ina::files
