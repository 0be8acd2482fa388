// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "hw/processes/input_error.hpp"

namespace ina::processes {

/// Parses the options of a program that runs in run_program(). If they ask for help, prints the
/// help and returns the exit status. Throws InputError.
inline std::optional<int> parse_options(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    throw InputError(error.what());
  }
  return std::nullopt;
}

}  // namespace ina::processes
