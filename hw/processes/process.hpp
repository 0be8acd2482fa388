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
/// Has the same effect as SIGTERM.
void request_stop();

/// The next line on standard input, without its end; nothing if a signal or the end of the input
/// came first.
std::optional<std::string> read_line();

/// Lets the parent process begin the run: prints "ready" on standard output and waits for the line
/// "start N" on standard input. The run begins at N nanoseconds of the monotonic clock.
/// From then on, the process ends when its parent does. Returns nothing if a signal or the end of
/// the input came first.
std::optional<RunClock> begin_together();

/// The file that --report names; an empty path means no file. Throws files::NotWritten if there is
/// a file at the path that is not a report.
files::RequestedFile report_file(const std::string& path);
/// Writes the report atomically. Throws what files::RequestedFile::write() throws.
void write_report(const std::string& path, const nlohmann::json& report);

/// Runs `body` and returns its exit status. Turns an exception into a line on standard error.
int run_program(const char* name, const std::function<int()>& body) noexcept;

}  // namespace ina::processes
