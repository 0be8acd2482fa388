// SPDX-License-Identifier: BSD-3-Clause
// A parameter server of one job on a DPDK port.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "hw/dpdk/ports/device.hpp"
#include "hw/dpdk/ports/every.hpp"
#include "hw/dpdk/ports/host_program.hpp"
#include "hw/processes/cluster_file.hpp"
#include "hw/processes/endpoints.hpp"
#include "hw/processes/registrars.hpp"
#include "hw/protocol/registration/member.hpp"

namespace {

using namespace ina;

/// Interval at which a server that has no session yet asks for the current one.
constexpr Time kAskInterval = std::chrono::seconds(1);

/// A parameter server, for all sessions of a job. Each session begins with an empty state.
class Server {
 public:
  /// `asks`: whether the server asks for the current session instead of waiting for an
  /// announcement.
  Server(cluster::Spec& cluster, processes::ServerId self, ports::HostLink& link, bool asks)
      : cluster_(cluster),
        self_(self),
        link_(link),
        membership_({.job = self.job,
                     .index = self.index,
                     .host = cluster.jobs[self.job].servers[self.index],
                     .ids = processes::ids_of(cluster, self.job),
                     .cluster = cluster.checksum}),
        asks_(asks),
        server_(processes::make_server(cluster, self, link.values())) {
    link.port().on_registration([this](const wire::RegistrationMessage& message) {
      if (membership_.receive(message)) begin_session();
      if (const auto refusal = membership_.refusal()) throw ports::PortError(*refusal);
    });
  }

  std::size_t step(Time now) {
    if (look_at_link_.is_due(now)) link_.is_up();  // reconnects to a switch that was restarted
    if (asks_ && membership_.id() == wire::kNoId && ask_.is_due(now)) membership_.ask(now);
    ports::Port& port = link_.port();
    std::size_t moved = port.receive([&](Frame&& frame) {
      if (frame.job != job().id) membership_.ask(now);
      server_->receive(std::move(frame), now);
    });
    if (const auto message = membership_.next()) port.send(*message);
    if (server_->deadline() <= now) server_->expire(now);
    moved += port.send([&](Frame& out) { return server_->next(out); });
    return moved;
  }

  std::size_t open_entries() const { return server_->open_entries(); }
  std::uint64_t rejected_frames() const {
    return earlier_rejected_ + server_->statistics().rejected_frames;
  }

 private:
  cluster::JobSpec& job() { return cluster_.jobs[self_.job]; }

  /// Begins a session. From now on, frames of the former session are rejected.
  void begin_session() {
    earlier_rejected_ = rejected_frames();
    job().id = membership_.id();
    server_ = processes::make_server(cluster_, self_, link_.values());
  }

  cluster::Spec& cluster_;
  processes::ServerId self_;
  ports::HostLink& link_;
  registration::ServerMembership membership_;
  bool asks_;
  std::unique_ptr<ParameterServer> server_;
  std::uint64_t earlier_rejected_ = 0;
  ports::Every look_at_link_{ports::kLinkCheck};
  ports::Every ask_{kAskInterval};
};

void serve(const ports::HostOptions& options, const processes::RunClock& clock,
           const std::string& name, const ports::Port& port, Server& server) {
  ports::Stats stats(options.stats);
  ports::run_until_stopped(options, clock, [&](Time now) {
    stats.tick(now, [&] { ports::print_stats(now, name, port.counters()); });
    return server.step(now);
  });
}

int run(const ports::HostOptions& options) {
  cluster::Spec cluster = processes::read_cluster_file(options.cluster);
  const processes::ServerId self = processes::find_server(cluster, options.host);
  if (options.job_id) cluster.jobs[self.job].id = *options.job_id;
  ports::HostLink link(options, cluster);
  Server server(cluster, self, link, !options.together && !options.job_id);
  if (const auto clock = link.begin()) {
    serve(options, *clock, cluster.name_of(options.host), link.port(), server);
  }
  if (!options.report.empty()) {  // written even if the server was stopped before the run began
    const ports::PortCounters& port = link.port().counters();
    processes::write_report(options.report,
                            {{"job", self.job},
                             {"server", self.index},
                             {"open_entries", server.open_entries()},
                             {"counters",  // same columns as those of a worker
                              {{"packets_sent", port.frames_sent},
                               {"packets_received", port.frames_received},
                               {"rejected_frames", server.rejected_frames() + port.malformed}}},
                             {"port", ports::to_json(port)}});
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return ina::ports::run_host_main(
      argc, argv, {"ina-ps", "Runs a parameter server of a job until SIGTERM.", run});
}
