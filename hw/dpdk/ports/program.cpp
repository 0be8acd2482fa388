// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/program.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "hw/dpdk/ports/eal.hpp"
#include "hw/processes/command_line.hpp"

namespace ina::ports {

namespace {

constexpr std::chrono::seconds kLinkPatience(10);
constexpr std::chrono::milliseconds kLinkPoll(5);

void add_common_options(CLI::App& app, Options& options) {
  app.add_option("--cluster", options.cluster, "cluster file, as `ina-sim plan` prints it")
      ->required()
      ->type_name("FILE");
  app.add_option("--report", options.report, "write counters to this file at the end")
      ->type_name("FILE");
  app.add_flag("--stats", options.stats, "print counters every second");
  app.add_flag("--hugepages", options.hugepages, "use hugepages, which physical NICs require");
  app.add_flag("--poll", options.poll,
               "poll without sleeping, for processors that run nothing else; if taskset allows as "
               "many processors as there are cores, each core gets its own");
  app.add_flag("--together", options.together,
               "print \"ready\", then wait for \"start NANOSECONDS\" on standard input");
}

}  // namespace

int run_main(int argc, char** argv, const Program& program) noexcept {
  return processes::run_program(program.name, [&] {
    Options options;
    CLI::App app(program.description, program.name);
    add_common_options(app, options);
    program.add_options(app);
    if (const auto status = processes::parse_options(app, argc, argv)) return *status;
    processes::report_file(options.report);  // fails before any work is done
    processes::catch_stop_signals();
    return program.body(options);
  });
}

std::optional<processes::RunClock> begin(const Options& options) {
  if (options.together) return processes::begin_together();
  return processes::RunClock(processes::RunClock::Clock::now());
}

void wait_for_link(Device& device, const std::string& name) {
  const auto limit = std::chrono::steady_clock::now() + kLinkPatience;
  while (!device.link_is_up() && !processes::stop_requested()) {
    if (std::chrono::steady_clock::now() > limit) {
      throw PortError(fmt::format("{}: no link within {} s", name, kLinkPatience.count()));
    }
    std::this_thread::sleep_for(kLinkPoll);
  }
}

nlohmann::json to_json(const PortCounters& counters) {
  return {{"frames_sent", counters.frames_sent},
          {"bytes_sent", counters.bytes_sent},
          {"frames_received", counters.frames_received},
          {"bytes_received", counters.bytes_received},
          {"malformed", counters.malformed},
          {"dropped", counters.dropped}};
}

void print_stats(Time now, const std::string& name, const PortCounters& counters) {
  fmt::print(stderr, "{:.3f} s: {}: sent {} frames, {} bytes; received {}, {}; malformed {}\n",
             std::chrono::duration<double>(now).count(), name, counters.frames_sent,
             counters.bytes_sent, counters.frames_received, counters.bytes_received,
             counters.malformed);
}

}  // namespace ina::ports
