// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "scenarios/reader/experiment.hpp"

namespace ina::runs {

/// Version of the manifests of runs and of result folders. It increases with every change that
/// would make programs for the previous version misread a manifest.
inline constexpr int kFormatVersion = 1;

/// Thrown if results cannot be written to a path. what() names the path and what is allowed, such
/// as "/etc/passwd is not a directory; allowed: ...".
class ResultFolderError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The folder of a run within the result folder of its experiment. Its name consists of point and
/// seed, so it does not depend on the other seeds of a call.
std::filesystem::path run_folder(const std::filesystem::path& folder, std::size_t point,
                                 std::uint64_t seed);
std::filesystem::path run_folder(const std::filesystem::path& folder,
                                 const scenarios::ExperimentPoint& point);

/// Creates the result folder of an experiment and its folder of points, unless they exist. Throws
/// ResultFolderError if the path is not allowed, std::runtime_error if the disk is full.
void make_result_folder(const std::filesystem::path& folder);

/// Locks a result folder until this process ends. Throws std::runtime_error if another process
/// holds the lock.
void lock_result_folder(const std::filesystem::path& folder);

/// The folders of all finished runs in a result folder, sorted by name.
std::vector<std::filesystem::path> run_folders_in(const std::filesystem::path& folder);

/// The folder that a run uses until it is complete, in the same directory as its final folder.
std::filesystem::path unfinished_run_folder(const std::filesystem::path& folder,
                                            const scenarios::ExperimentPoint& point);

}  // namespace ina::runs
