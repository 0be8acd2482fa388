// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <filesystem>
#include <string>
#include <string_view>

namespace ina::files {

/// Writes a whole file or nothing: first as a PartFile, which is then renamed. A symbolic link is
/// followed. A path that is not a regular file (a pipe, a device) is written to, not replaced. A
/// descriptor of this process, such as /dev/stdout, is not replaced either, even if it is a file.
/// Throws std::runtime_error with the path and the reason (permission, full disk).
void write(const std::filesystem::path& path, std::string_view content);

/// Whether write() creates a new file at the path. If so, existing content would be lost.
bool is_replaced(const std::filesystem::path& path);

/// Reason why write() could not even begin, such as "Permission denied"; "" if it can.
std::string why_not_writable(const std::filesystem::path& path);

/// Content of a regular file. Throws std::runtime_error with the path and the reason. Other kinds
/// of files are errors, too: reading a pipe would wait for a writer.
std::string read(const std::filesystem::path& path);

/// The error in one line. An error of the file system is given as path and reason.
std::string reason_of(const std::exception& error);

}  // namespace ina::files
