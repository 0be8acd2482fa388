/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_RESULT_FOLDER_H
#define INA_RESULT_FOLDER_H

#include <cstddef>
#include <filesystem>
#include <stdexcept>

namespace ns3
{

/** A place where no results can be written; what() is a short phrase with the path that is at
 * fault, such as "/etc/passwd is no folder". */
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

} // namespace ns3

#endif // INA_RESULT_FOLDER_H
