// SPDX-License-Identifier: BSD-3-Clause
// Registers the sessions of all jobs on behalf of the control plane of a switch that cannot do so
// itself. Before a session begins, the program prints "register JOB ID" and waits for the line
// "done" on standard input. Until then no worker sends under the id.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "hw/dpdk/ports/every.hpp"
#include "hw/dpdk/ports/host_program.hpp"
#include "hw/processes/cluster_file.hpp"
#include "hw/processes/input_error.hpp"
#include "hw/processes/process.hpp"
#include "hw/processes/registrars.hpp"

namespace {

using namespace ina;

constexpr Time kInputInterval = std::chrono::milliseconds(100);
constexpr const char* kDone = "done";

/// Returns true once the control plane has registered the job, false if the process was asked to
/// end.
bool ask_to_register(JobId job, JobId id) {
  fmt::print("register {} {}\n", job, id);
  std::fflush(stdout);
  const auto line = processes::read_line();
  if (line && *line != kDone) {
    throw processes::InputError(
        fmt::format("standard input: found \"{}\"; allowed: {}", *line, kDone));
  }
  if (!line) processes::request_stop();
  return line.has_value();
}

/// Stops at the end of standard input. Between two sessions, no other input is valid.
void stop_at_end_of_input() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (poll(&input, 1, 0) <= 0) return;
  if (const auto line = processes::read_line()) {
    throw processes::InputError(
        fmt::format("standard input: found \"{}\"; allowed: {} after register", *line, kDone));
  }
  processes::request_stop();
}

/// The registrars of all jobs. The switch does not report the port at which a message arrived. The
/// source address must therefore be that of the member that the message names.
class Registrars {
 public:
  Registrars(const cluster::Spec& cluster, ports::Port& port) : port_(port) {
    for (cluster::Registration& job : cluster.registrations()) {
      jobs_.push_back({job.hosts, processes::make_registrar(cluster, job)});
    }
    port.on_registration([this](const wire::RegistrationMessage& message) { receive(message); });
  }

  std::size_t step(Time now) {
    now_ = now;
    if (look_at_input_.is_due(now)) stop_at_end_of_input();
    std::size_t moved = port_.receive([](Frame&&) {});
    moved += port_.send([](Frame&) { return false; });
    return moved;
  }

 private:
  struct Job {
    cluster::JobHosts hosts;
    registration::Registrar registrar;
  };

  void receive(const wire::RegistrationMessage& message) {
    if (message.job >= jobs_.size() || !processes::is_for_registrar(message.kind)) return;
    Job& job = jobs_[message.job];
    if (processes::host_of_member(job.hosts, message) != message.source) return;
    registration::Messages answers;
    const auto id = job.registrar.receive(message, now_, answers);
    if (id && !ask_to_register(message.job, *id)) return;
    for (const wire::RegistrationMessage& answer : answers) port_.send(answer);
  }

  ports::Port& port_;
  std::vector<Job> jobs_;  // by number
  Time now_{};
  ports::Every look_at_input_{kInputInterval};
};

int run(const ports::HostOptions& options) {
  const cluster::Spec cluster = processes::read_cluster_file(options.cluster);
  ports::HostLink link(options, cluster);
  Registrars registrars(cluster, link.port());
  const ports::PortCounters& counters = link.port().counters();
  if (const auto clock = ports::begin(options)) {
    ports::Stats stats(options.stats);
    ports::run_until_stopped(options, *clock, [&](Time now) {
      stats.tick(now, [&] { ports::print_stats(now, "registrar", counters); });
      return registrars.step(now);
    });
  }
  if (!options.report.empty()) {
    processes::write_report(options.report, {{"port", ports::to_json(counters)}});
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  ports::HostOptions options;
  return ports::run_main(
      argc, argv,
      {"ina-registrar",
       "Registers the sessions of all jobs at a Tofino, for the Tofino's control plane, until "
       "SIGTERM.",
       [&](CLI::App& app) {
         app.add_option("--port", options.device,
                        "DPDK device of the link to the switch, such as net_af_packet0,iface=eth0")
             ->required()
             ->type_name("DEVICE");
       },
       [&](const ports::Options& common) {
         static_cast<ports::Options&>(options) = common;
         return run(options);
       }});
}
