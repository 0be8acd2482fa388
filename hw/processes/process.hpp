// SPDX-License-Identifier: BSD-3-Clause
// What the programs of a testbed have in common as processes.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "hw/files/requested_file.hpp"
#include "hw/processes/run_clock.hpp"

namespace ina::processes {

/// From now on SIGTERM and SIGINT only make stop_requested() true.
void catch_stop_signals();
bool stop_requested();
/// As one of these signals does.
void request_stop();

/// The next line on standard input, without its end; nothing if a signal or the end of the input
/// came first.
std::optional<std::string> read_line();

/// Who started this process begins the run: says "ready" on standard output, waits for the line
/// "start N" on standard input, N the beginning of the run in nanoseconds of the monotonic clock,
/// and ends with whoever started it. Returns nothing if a signal or the end of the input came
/// first.
std::optional<RunClock> begin_together();

/// The file of --report; empty: none. Throws files::NotWritten if it holds something else.
files::RequestedFile report_file(const std::string& path);
/// Writes it whole, or not at all. Throws as files::RequestedFile.
void write_report(const std::string& path, const nlohmann::json& report);

/// Runs a program's body and turns what it throws into one line on standard error and an exit
/// status.
int run_program(const char* name, const std::function<int()>& body) noexcept;

}  // namespace ina::processes
