/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_RESULT_FOLDER_H
#define INA_RESULT_FOLDER_H

#include "scenarios/reader/experiment.hpp"

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <vector>

namespace ns3
{

/** Version of the manifests of runs and of result folders. It grows when those who can read the
 * former one would misread this one. */
inline constexpr int FORMAT_VERSION = 1;

/** A path where no results can be written; what() names the path that is at fault and what is
 * allowed, such as "/etc/passwd is not a directory; allowed: ...". */
class ResultFolderError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/** The folder of a run's results within the result folder of its experiment. It is known by the
 * number of the point and the seed, so that it stays where it is whatever seeds are asked for. */
std::filesystem::path RunFolder(const std::filesystem::path& folder,
                                std::size_t point,
                                std::uint64_t seed);
std::filesystem::path RunFolder(const std::filesystem::path& folder,
                                const ina::scenarios::ExperimentPoint& point);

/** Makes the result folder of an experiment, if it is missing, and the one of its points. Throws
 * ResultFolderError if it cannot be there, std::runtime_error if only room is missing. */
void MakeResultFolder(const std::filesystem::path& folder);

/** Keeps other programs out of a result folder as long as this one lives. Throws
 * std::runtime_error if another one has it. */
void LockResultFolder(const std::filesystem::path& folder);

/** The folders of all runs in a result folder, in order, whatever their names. */
std::vector<std::filesystem::path> RunFoldersIn(const std::filesystem::path& folder);

/** Where a run that is under way writes, beside its folder. */
std::filesystem::path UnfinishedRunFolder(const std::filesystem::path& folder,
                                          const ina::scenarios::ExperimentPoint& point);

} // namespace ns3

#endif // INA_RESULT_FOLDER_H
