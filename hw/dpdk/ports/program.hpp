// SPDX-License-Identifier: BSD-3-Clause
// What the programs on DPDK ports have in common: their options, and the loop that each of them is.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "hw/dpdk/ports/every.hpp"
#include "hw/dpdk/ports/idle.hpp"
#include "hw/dpdk/ports/port.hpp"
#include "hw/processes/process.hpp"

namespace ina::ports {

struct Options {
  std::string cluster;
  std::string report;
  bool stats = false;
  bool hugepages = false;
  bool together = false;
  bool poll = false;

  Idle::Strategy idle_strategy() const {
    return poll ? Idle::Strategy::polls : Idle::Strategy::yields;
  }
};

/// A program, for its main function.
struct Program {
  const char* name;
  const char* description;
  /// Adds options to those that all programs have.
  std::function<void(CLI::App&)> add_options;
  /// Does the work. Returns the exit status.
  std::function<int(const Options&)> body;
};

/// Returns the exit status.
int run_main(int argc, char** argv, const Program& program) noexcept;

/// The clock of the run, from now on or when who started this process says so; nothing if it was
/// stopped before.
std::optional<processes::RunClock> begin(const Options& options);

/// Throws PortError if the link is not up in a while. Returns at once if stopped.
void wait_for_link(Device& device, const std::string& name);

nlohmann::json to_json(const PortCounters& counters);

/// Tells counters every second, as lines on standard error.
class Stats {
 public:
  /// Without `wanted` it keeps silent.
  explicit Stats(bool wanted) : wanted_(wanted) {}

  template <class Print>
  void tick(Time now, Print&& print) {
    if (wanted_ && every_.is_due(now)) print();
  }

 private:
  bool wanted_;
  Every every_{std::chrono::seconds(1)};
};

/// Prints what a port did in all, on one line.
void print_stats(Time now, const std::string& name, const PortCounters& counters);

/// Calls `step(now)` until a signal stops the process. It returns how many frames it moved.
template <class Step>
void run_until_stopped(const Options& options, const processes::RunClock& clock, Step&& step) {
  Idle idle(options.idle_strategy());
  while (!processes::stop_requested()) {
    if (step(clock.now()) != 0) {
      idle.found_work();
    } else {
      idle.found_nothing();
    }
  }
}

}  // namespace ina::ports
