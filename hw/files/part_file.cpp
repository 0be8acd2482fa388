// SPDX-License-Identifier: BSD-3-Clause
#include "hw/files/part_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <stdexcept>
#include <utility>

#include "hw/files/path_target.hpp"

namespace ina::files {

namespace {

namespace fs = std::filesystem;

/// Permissions of a new file, before the umask.
constexpr mode_t kNewFile = 0666;
constexpr mode_t kPermissions = 0777;

fs::path part_beside(const fs::path& target) {
  std::random_device random;
  return target.parent_path() / fmt::format(".ina-{:08x}{:08x}.part", random(), random());
}

int create(const fs::path& part) {
  return open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kNewFile);
}

}  // namespace

PartFile::PartFile(fs::path path)
    : path_(std::move(path)), target_(target_of(path_)), part_(part_beside(target_)) {
  int descriptor = create(part_);
  while (descriptor < 0 && errno == EEXIST) {
    part_ = part_beside(target_);
    descriptor = create(part_);
  }
  if (descriptor < 0) fail();
  struct stat replaced {};
  if (stat(target_.c_str(), &replaced) == 0) {
    // Errors are ignored, because a file system without permissions has none to keep.
    static_cast<void>(fchmod(descriptor, replaced.st_mode & kPermissions));
  }
  file_ = fdopen(descriptor, "w");
  if (file_ == nullptr) fail();
}

PartFile::~PartFile() {
  if (file_ != nullptr) static_cast<void>(std::fclose(file_));
  if (!part_.empty()) unlink(part_.c_str());
}

void PartFile::write(std::string_view piece) {
  if (std::fwrite(piece.data(), 1, piece.size(), file_) != piece.size()) fail();
}

void PartFile::keep() {
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
  if (std::rename(part_.c_str(), target_.c_str()) != 0) fail();
  part_.clear();
}

void PartFile::fail() const {
  throw std::runtime_error(
      fmt::format("{}: cannot be written: {}", path_.string(), std::strerror(errno)));
}

}  // namespace ina::files
