// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace ina::files {

/// Lets writing to a pipe without a reader fail, like a full disk, instead of raising SIGPIPE.
void survive_broken_pipes();

/// Prints to the standard output. Errors are reported later, by flush_standard_output().
void print(std::string_view text);

/// Discards all further output, from print() and std::cout.
void mute_standard_output();

/// Prints to the standard error, unbuffered. Errors are ignored, since there is no other channel.
void report(std::string_view text);

/// Flushes all output of print() and std::cout. Throws std::runtime_error if any output so far was
/// lost.
void flush_standard_output();

}  // namespace ina::files
