// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <filesystem>
#include <string>
#include <string_view>

namespace ina::files {

/// Writes a whole file, or none: first as a PartFile, then renamed, through a symbolic link to what
/// that points to. What stands there and is not a regular file (a pipe, a device) is written to,
/// not replaced; so is what a descriptor of ours such as /dev/stdout stands for, be it a file.
/// Throws std::runtime_error with the path and the reason (permission, full disk).
void write(const std::filesystem::path& path, std::string_view content);

/// Whether write() puts a new file there, and what there is would be lost.
bool is_replaced(const std::filesystem::path& path);

/// Why write() could not even begin, such as "Permission denied"; "" if it can.
std::string why_not_writable(const std::filesystem::path& path);

/// The whole of a regular file. Throws std::runtime_error with the path and the reason, also for
/// what is not a regular file: reading a pipe would wait for somebody who writes.
std::string read(const std::filesystem::path& path);

/// What went wrong, in one line: the path and the reason, if it was the file system.
std::string reason_of(const std::exception& error);

}  // namespace ina::files
