// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>
#include <string>

#include "tests/exploration/explorer.hpp"

namespace ina::exploration {

/// A finding as a file: the configuration's name, the failure, and a step a line.
struct Replay {
  std::string configuration;
  std::string mutant;  ///< empty: the protocol as it is
  Finding finding;
};

void write_replay(std::ostream& out, const Replay& replay);
/// Throws std::invalid_argument, which says what is wrong.
Replay read_replay(std::istream& in);

/// Runs the schedule, prints every step in words, and returns what is wrong at its end, or nothing.
std::string step_through(const Replay& replay, const MakeSystem& make_system, std::ostream& out);

}  // namespace ina::exploration
