// SPDX-License-Identifier: BSD-3-Clause
#include "hw/processes/process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <string_view>

#include "hw/cluster/training/verification_error.hpp"
#include "hw/files/exit_status.hpp"
#include "hw/processes/input_error.hpp"

namespace ina::processes {

namespace {

constexpr std::string_view kStart = "start ";
constexpr const char* kWriter = "ina hw --report";
constexpr int kPollMs = 100;  // bounds the delay of a signal that arrives just before poll()

std::atomic<bool> stop{false};

void stop_by(int) { request_stop(); }

}  // namespace

void catch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = stop_by;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
}

bool stop_requested() { return stop.load(std::memory_order_relaxed); }

void request_stop() { stop.store(true, std::memory_order_relaxed); }

std::optional<std::string> read_line() {
  std::string line;
  while (!stop_requested()) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (poll(&input, 1, kPollMs) <= 0) continue;
    char c = 0;
    if (read(STDIN_FILENO, &c, 1) != 1) return std::nullopt;
    if (c == '\n') return line;
    line += c;
  }
  return std::nullopt;
}

std::optional<RunClock> begin_together() {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  std::puts("ready");
  std::fflush(stdout);
  const auto line = read_line();
  if (!line) return std::nullopt;
  std::int64_t nanoseconds = 0;
  const char* const end = line->data() + line->size();
  const bool starts = line->starts_with(kStart);
  if (!starts || std::from_chars(line->data() + kStart.size(), end, nanoseconds).ptr != end) {
    throw InputError(
        fmt::format("standard input: found \"{}\"; allowed: start NANOSECONDS", *line));
  }
  return RunClock(RunClock::Clock::time_point(std::chrono::nanoseconds(nanoseconds)));
}

files::RequestedFile report_file(const std::string& path) {
  return {"--report", path, files::json_mark(kWriter)};
}

void write_report(const std::string& path, const nlohmann::json& report) {
  nlohmann::ordered_json content{{"written_by", kWriter}};
  content.update(nlohmann::ordered_json(report));
  report_file(path).write(content.dump() + '\n');
}

int run_program(const char* name, const std::function<int()>& body) noexcept {
  const auto say = [name](const std::exception& error, int status) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return status;
  };
  try {
    return body();
  } catch (const InputError& error) {
    return say(error, exit_status::kWrongInput);
  } catch (const files::NotWritten& error) {
    return say(error, exit_status::kWrongInput);
  } catch (const cluster::VerificationError& error) {
    return say(error, exit_status::kFailedRun);
  } catch (const std::exception& error) {
    return say(error, exit_status::kEnvironmentError);
  }
}

}  // namespace ina::processes
