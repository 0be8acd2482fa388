// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace ina::files {

/// From now on a pipe that nobody reads any more is an error like a full disk, not a signal.
void survive_broken_pipes();

/// Prints to the standard output; flush_standard_output() tells whether it arrived.
void print(std::string_view text);

/// From now on what is printed, here or to std::cout, goes nowhere.
void mute_standard_output();

/// Tells on the standard error, at once. If that is broken too, nobody can be told.
void report(std::string_view text);

/// Brings what was printed, here or to std::cout, to where it goes. Throws
/// std::runtime_error if some of it, now or before, did not get there.
void flush_standard_output();

}  // namespace ina::files
