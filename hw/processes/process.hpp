// SPDX-License-Identifier: BSD-3-Clause
// Common functions of the testbed's programs as processes.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "hw/files/requested_file.hpp"
#include "hw/processes/run_clock.hpp"

namespace ina::processes {

/// From this call on, SIGTERM and SIGINT only make stop_requested() true.
void catch_stop_signals();
bool stop_requested();
/// Has the same effect as one of these signals.
void request_stop();

/// The next line on standard input, without its end; nothing if a signal or the end of the input
/// came first.
std::optional<std::string> read_line();

/// Lets the parent process begin the run: prints "ready" on standard output and waits for the line
/// "start N" on standard input. N is the begin of the run in nanoseconds of the monotonic clock.
/// From then on, the process ends when its parent does. Returns nothing if a signal or the end of
/// the input came first.
std::optional<RunClock> begin_together();

/// The file of --report; an empty path means none. Throws files::NotWritten if the path holds
/// something other than a report.
files::RequestedFile report_file(const std::string& path);
/// Writes the report atomically. Throws as files::RequestedFile does.
void write_report(const std::string& path, const nlohmann::json& report);

/// Runs a program's body. Turns exceptions into one line on standard error and an exit status.
int run_program(const char* name, const std::function<int()>& body) noexcept;

}  // namespace ina::processes
