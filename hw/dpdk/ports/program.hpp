// SPDX-License-Identifier: BSD-3-Clause
// Common options and main loop of the programs on DPDK ports.
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

/// Description of a program, as its main function passes it to run_main().
struct Program {
  const char* name;
  const char* description;
  /// Adds the program's own options.
  std::function<void(CLI::App&)> add_options;
  /// Runs the program. Returns the exit status.
  std::function<int(const Options&)> body;
};

/// Returns the exit status.
int run_main(int argc, char** argv, const Program& program) noexcept;

/// Starts the run's clock. With --together, it starts when the parent process orders it, otherwise
/// at once. Returns nothing if a signal or the end of the input came before the order.
std::optional<processes::RunClock> begin(const Options& options);

/// Waits for the link, at most until a signal stops the process. Throws PortError after 10 s.
void wait_for_link(Device& device, const std::string& name);

nlohmann::json to_json(const PortCounters& counters);

/// Lets a program print its counters once per second.
class Stats {
 public:
  /// `wanted`: whether to print anything.
  explicit Stats(bool wanted) : wanted_(wanted) {}

  template <class Print>
  void tick(Time now, Print&& print) {
    if (wanted_ && every_.is_due(now)) print();
  }

 private:
  bool wanted_;
  Every every_{std::chrono::seconds(1)};
};

/// Prints the counters of a port to standard error, on one line.
void print_stats(Time now, const std::string& name, const PortCounters& counters);

/// Calls `step(now)`, which returns the number of frames it moved, until a signal stops the
/// process.
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
