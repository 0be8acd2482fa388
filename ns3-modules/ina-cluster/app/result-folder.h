/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_RESULT_FOLDER_H
#define INA_RESULT_FOLDER_H

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <vector>

namespace ns3
{

/** A place where no results can be written; what() names the path that is at fault and what is
 * allowed, such as "/etc/passwd is no folder; allowed: ...". */
class ResultFolderError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/** The folder of a point's results within the result folder of its experiment. */
std::filesystem::path PointFolder(const std::filesystem::path& folder, std::size_t point);

/** Makes the result folder of an experiment, if it is missing, and the one of its points. Throws
 * ResultFolderError if it cannot be there, std::runtime_error if only room is missing. */
void MakeResultFolder(const std::filesystem::path& folder);

/** Keeps other programs out of a result folder as long as this one lives. Throws
 * std::runtime_error if another one has it. */
void LockResultFolder(const std::filesystem::path& folder);

/** The numbers of the points that have a folder in the result folder, in order. */
std::vector<std::size_t> PointsIn(const std::filesystem::path& folder);

} // namespace ns3

#endif // INA_RESULT_FOLDER_H
