// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>
#include <string>

#include "tests/exploration/explorer.hpp"

namespace ina::exploration {

/// A finding as a file: the configuration's name, the failure, and one step per line.
struct Replay {
  std::string configuration;
  std::string mutant;  ///< empty: the protocol without a mistake
  Finding finding;
};

void write_replay(std::ostream& out, const Replay& replay);
/// Throws std::invalid_argument with a message that says what is wrong.
Replay read_replay(std::istream& in);

/// Runs the schedule and prints every step in words. Returns what is wrong at its end, or "".
std::string step_through(const Replay& replay, const MakeSystem& make_system, std::ostream& out);

}  // namespace ina::exploration
