// SPDX-License-Identifier: BSD-3-Clause
#include "scenarios/runs/result_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

namespace ina::runs {

using namespace scenarios;

namespace {

const char* const kPoints = "points";
const char* const kUnfinished = ".tmp";
const char* const kAllowed = "allowed: a writable folder, or a path at which one can be made";

/// The shortest prefix of a path that is not a directory.
std::filesystem::path first_missing(const std::filesystem::path& path) {
  std::filesystem::path part;
  for (const auto& name : path) {
    part /= name;
    std::error_code ignored;
    if (!std::filesystem::is_directory(part, ignored)) break;
  }
  return part;
}

[[noreturn]] void fail_to_make(const std::filesystem::path& path, const std::error_code& reason) {
  const std::filesystem::path culprit = first_missing(path);
  std::error_code ignored;
  if (std::filesystem::exists(culprit, ignored)) {
    throw ResultFolderError(fmt::format("{} is not a directory; {}", culprit.string(), kAllowed));
  }
  const std::string message =
      fmt::format("{} cannot be made: {}", culprit.string(), reason.message());
  if (reason.value() == ENOSPC || reason.value() == EDQUOT) throw std::runtime_error(message);
  throw ResultFolderError(fmt::format("{}; {}", message, kAllowed));
}

void check_rights(const std::filesystem::path& folder) {
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    throw ResultFolderError(fmt::format("{} cannot be written to: {}; {}", folder.string(),
                                        std::strerror(errno), kAllowed));
  }
}

}  // namespace

std::filesystem::path run_folder(const std::filesystem::path& folder, std::size_t point,
                                 std::uint64_t seed) {
  return folder / kPoints / fmt::format("{:05}-seed{}", point, seed);
}

std::filesystem::path run_folder(const std::filesystem::path& folder,
                                 const ExperimentPoint& point) {
  return run_folder(folder, point.index, point.seed);
}

std::filesystem::path unfinished_run_folder(const std::filesystem::path& folder,
                                            const ExperimentPoint& point) {
  return run_folder(folder, point).string() + kUnfinished;
}

void make_result_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder / kPoints, error);
  if (error) fail_to_make(folder / kPoints, error);
  check_rights(folder);
  check_rights(folder / kPoints);
}

void lock_result_folder(const std::filesystem::path& folder) {
  // Never closed: the lock ends with the last process of this program.
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw std::runtime_error(fmt::format("{}: another ina run is writing to it", folder.string()));
  }
}

std::vector<std::filesystem::path> run_folders_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> runs;
  for (const auto& entry : std::filesystem::directory_iterator(folder / kPoints)) {
    if (entry.is_directory() && entry.path().extension() != kUnfinished) {
      runs.push_back(entry.path());
    }
  }
  std::sort(runs.begin(), runs.end());
  return runs;
}

}  // namespace ina::runs
