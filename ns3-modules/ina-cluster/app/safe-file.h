/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_SAFE_FILE_H
#define INA_SAFE_FILE_H

#include <exception>
#include <filesystem>
#include <string>
#include <string_view>

namespace ns3
{

/**
 * Writes a whole file, or none: first under a temporary name, then renamed. What stands there and
 * is no file (a pipe, a device) is written to, not replaced. Throws std::runtime_error with the
 * path and the reason (permission, full disk).
 */
void WriteFile(const std::filesystem::path& path, std::string_view content);

/** Why WriteFile() could not even begin, such as "Permission denied"; "" if it can. */
std::string WhyNotWritable(const std::filesystem::path& path);

/** What went wrong, in one line: the path and the reason, if it was the file system. */
std::string ReasonOf(const std::exception& error);

/** The whole file. Throws std::runtime_error with the path and the reason. */
std::string ReadFile(const std::filesystem::path& path);

} // namespace ns3

#endif // INA_SAFE_FILE_H
