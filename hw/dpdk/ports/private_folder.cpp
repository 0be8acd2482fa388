// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/private_folder.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "hw/dpdk/ports/port_error.hpp"

namespace ina::ports {

namespace {

constexpr mode_t kOthersEnter = S_IXGRP | S_IXOTH;
constexpr mode_t kPermissions = 07777;

[[noreturn]] void refuse(const std::string& where, const std::string& found) {
  throw PortError(where + ": " + found +
                  "; allowed: a folder that only this user can enter (mkdir -m 700 FOLDER)");
}

struct stat status_of(const std::filesystem::path& path, const std::string& where) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) refuse(where, path.string() + ": " + std::strerror(errno));
  return status;
}

}  // namespace

std::filesystem::path private_folder(const std::filesystem::path& folder,
                                     const std::string& where) {
  std::error_code error;
  std::filesystem::path real = std::filesystem::canonical(folder, error);
  if (error) refuse(where, folder.string() + ": " + error.message());
  const struct stat own = status_of(real, where);
  if (!S_ISDIR(own.st_mode)) refuse(where, real.string() + " is not a folder");
  if (own.st_uid != geteuid()) {
    refuse(where, fmt::format("{} belongs to user {}, not to user {}", real.string(), own.st_uid,
                              geteuid()));
  }
  if ((own.st_mode & kOthersEnter) != 0) {
    refuse(where, fmt::format("other users can enter {} (mode {:o})", real.string(),
                              own.st_mode & kPermissions));
  }
  for (std::filesystem::path above = real; above != above.root_path();) {
    above = above.parent_path();
    const mode_t mode = status_of(above, where).st_mode;
    if ((mode & S_IWOTH) != 0 && (mode & S_ISVTX) == 0) {
      refuse(where, fmt::format("other users can replace folders in {} (mode {:o})", above.string(),
                                mode & kPermissions));
    }
  }
  return real;
}

}  // namespace ina::ports
