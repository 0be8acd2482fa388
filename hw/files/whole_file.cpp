// SPDX-License-Identifier: BSD-3-Clause
#include "hw/files/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "hw/files/part_file.hpp"
#include "hw/files/path_target.hpp"

namespace ina::files {

namespace {

namespace fs = std::filesystem;

std::runtime_error trouble(const fs::path& path, const char* what) {
  return std::runtime_error(
      fmt::format("{}: cannot be {}: {}", path.string(), what, std::strerror(errno)));
}

/// Reason why a descriptor of this process is not writable; "" if it is.
std::string why_not_writable(int descriptor) {
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY) return "";
  return std::strerror(EBADF);
}

/// Writes to a descriptor of this process, a pipe or a device. Output to a descriptor is appended
/// to earlier output.
void write_through(const fs::path& path, std::string_view content) {
  std::fflush(stdout);  // keep the order: earlier output must come first
  const auto own = own_descriptor(path);
  const int descriptor = own ? dup(*own) : open(path.c_str(), O_WRONLY | O_CLOEXEC);
  std::FILE* const file = descriptor < 0 ? nullptr : fdopen(descriptor, "w");
  if (file == nullptr) throw trouble(path, "written");
  const bool taken = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  const int reason = errno;
  const bool arrived = std::fclose(file) == 0;
  if (!taken) errno = reason;
  if (!taken || !arrived) throw trouble(path, "written");
}

}  // namespace

bool is_replaced(const fs::path& path) {
  return !own_descriptor(path) && (!fs::exists(path) || fs::is_regular_file(path));
}

std::string why_not_writable(const fs::path& path) {
  if (const auto own = own_descriptor(path)) return why_not_writable(*own);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) return std::strerror(EISDIR);
  if (!fs::status_known(status)) return error.message();
  if (!is_replaced(path)) return access(path.c_str(), W_OK) == 0 ? "" : std::strerror(errno);
  const fs::path target = target_of(path);
  const fs::path parent = target.has_parent_path() ? target.parent_path() : ".";
  return access((parent / "").c_str(), W_OK | X_OK) == 0 ? "" : std::strerror(errno);
}

void write(const fs::path& path, std::string_view content) {
  if (!is_replaced(path)) return write_through(path, content);
  PartFile file(path);
  file.write(content);
  file.keep();
}

std::string read(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
    throw std::runtime_error(
        fmt::format("{}: cannot be read: it is not a regular file", path.string()));
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
