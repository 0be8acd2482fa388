// SPDX-License-Identifier: BSD-3-Clause
// A worker of one job on a DPDK port: trains as the scenario says, with synthetic gradients, and
// verifies every sum.
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include "hw/dpdk/ports/every.hpp"
#include "hw/dpdk/ports/host_program.hpp"
#include "hw/dpdk/ports/worker_session.hpp"
#include "hw/fields/number_argument.hpp"
#include "hw/fields/object_writer.hpp"
#include "hw/processes/cluster_file.hpp"
#include "hw/processes/endpoints.hpp"
#include "hw/processes/input_error.hpp"
#include "hw/processes/process_training.hpp"

namespace {

using namespace ina;

/// Interval at which a waiting worker reports which members are missing.
constexpr Time kSayMissing = std::chrono::seconds(5);

/// The worker's iterations (cluster::WorkerReport) and counters. "counters" contains the worker's
/// share of the counters in the job's row of jobs.csv, by column.
nlohmann::json report_of(processes::WorkerId self, std::uint32_t first_iteration,
                         const processes::ProcessTraining& training,
                         const WorkerTransport& transport, const ports::Port& port) {
  const cluster::WorkerReport report{.job = self.job,
                                     .worker = self.rank,
                                     .first_iteration = first_iteration,
                                     .iterations = training.iterations(),
                                     .iteration_start = training.iteration_start()};
  fields::ObjectWriter went_through;
  cluster::WorkerReport::visit(went_through, report);
  return {
      {"done", training.done()},
      {"training", went_through.json},
      {"counters",
       {{"packets_sent", port.counters().frames_sent},
        {"packets_received", port.counters().frames_received},
        {"retransmissions", transport.statistics().retransmissions},
        {"rejected_frames", transport.statistics().rejected_frames + port.counters().malformed}}},
      {"port", ports::to_json(port.counters())}};
}

void check(std::uint32_t first_iteration, const cluster::JobSpec& job) {
  if (first_iteration < job.training.iterations) return;
  throw processes::InputError("--first-iteration " + std::to_string(first_iteration) +
                              "; allowed: one that the job has");
}

void say(const char* line) {
  std::puts(line);
  std::fflush(stdout);
}

/// Joins the job's next session and returns the session's id (CORRECTNESS.md, "Sessions"). Returns
/// nothing if the process was stopped before. Throws PortError if the switch refuses.
std::optional<JobId> join(const ports::HostOptions& options, ports::WorkerSession& session) {
  using State = registration::WorkerMembership::State;
  const auto& membership = session.membership();
  ports::Every say(kSayMissing, kSayMissing);
  ports::Idle idle(options.idle_strategy());
  while (!processes::stop_requested()) {
    session.join_turn(idle);
    if (membership.state() == State::in_session) return membership.id();
    if (membership.state() != State::joining) throw ports::PortError(membership.why());
    if (say.is_due(session.now())) fmt::print(stderr, "ina-worker: {}\n", membership.why());
  }
  return std::nullopt;
}

void check(const ports::WorkerSession& session) {
  const auto& membership = session.membership();
  if (membership.state() == registration::WorkerMembership::State::over) {
    throw std::runtime_error(membership.why());
  }
}

void train(const ports::HostOptions& options, const processes::RunClock& clock,
           const std::string& name, ports::Port& port, ports::WorkerSession* session,
           processes::ProcessTraining& training, WorkerTransport& transport) {
  ports::Stats stats(options.stats);
  std::size_t iterations_said = 0;
  bool done_said = false;
  ports::run_until_stopped(options, clock, [&](Time now) {
    std::size_t moved = port.receive([&](const Frame& frame) { transport.receive(frame, now); });
    if (transport.deadline() <= now) transport.expire(now);
    training.advance(now);
    moved += port.send([&](Frame& out) { return transport.next(out, now); });
    for (; iterations_said < training.iterations().size(); ++iterations_said) say("iteration");
    if (training.done() && !done_said) {
      done_said = true;
      say("done");
    }
    if (session != nullptr) {
      session->step(session->now());
      check(*session);
    }
    stats.tick(now, [&] { ports::print_stats(now, name, port.counters()); });
    return moved;
  });
}

int run(const ports::HostOptions& options, std::uint32_t first_iteration) {
  cluster::Spec cluster = processes::read_cluster_file(options.cluster);
  const processes::WorkerId self = processes::find_worker(cluster, options.host);
  cluster::JobSpec& job = cluster.jobs[self.job];
  check(first_iteration, job);
  if (options.job_id) job.id = *options.job_id;
  ports::HostLink link(options, cluster);
  std::optional<ports::WorkerSession> session;
  if (!options.together && !options.job_id) {  // otherwise the parent process registers the job
    link.wait();
    session.emplace(link.port(), cluster, self);
    const auto id = join(options, *session);
    if (!id) return 0;
    job.id = *id;
  }
  processes::ProcessTraining training(cluster, self);
  const auto transport = processes::make_transport(cluster, self, link.values(), training.sink());
  training.begin(*transport);
  if (const auto clock = link.begin()) {
    if (options.job_id) training.begin_again(first_iteration, clock->now());
    train(options, *clock, cluster.name_of(options.host), link.port(),
          session ? &*session : nullptr, training, *transport);
  }
  if (!options.report.empty()) {  // written even if the worker was stopped before the run began
    processes::write_report(options.report,
                            report_of(self, first_iteration, training, *transport, link.port()));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint32_t first_iteration = 0;
  return ina::ports::run_host_main(
      argc, argv,
      {"ina-worker",
       "Runs a worker of a job until SIGTERM. Prints \"iteration\" after each iteration and "
       "\"done\" after the last one, then answers requests of other workers.",
       [&](const ina::ports::HostOptions& options) { return run(options, first_iteration); },
       [&](CLI::App& app) {
         app.add_option("--first-iteration", first_iteration,
                        "with --job-id: first iteration of the repeated job (default: 0)")
             ->needs("--job-id")
             ->type_name("NUMBER")
             ->transform(ina::fields::whole_number({0, std::numeric_limits<std::uint32_t>::max()}));
       }});
}
