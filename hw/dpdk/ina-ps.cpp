// SPDX-License-Identifier: BSD-3-Clause
// A parameter server of one job on a DPDK port. Exit status: 0, 1 (trouble with the machine), 2
// (wrong options, cluster or port).
#include <string>

#include "hw/dpdk/endpoints/cluster_file.hpp"
#include "hw/dpdk/endpoints/endpoints.hpp"
#include "hw/dpdk/ports/host_program.hpp"

namespace {

using namespace ina;

void serve(const ports::HostOptions& options, const endpoints::RunClock& clock,
           const std::string& name, ports::Port& port, ParameterServer& server) {
  ports::Stats stats(options.stats);
  ports::run_until_stopped(options, clock, [&](Time now) {
    std::size_t moved = port.receive([&](Frame&& frame) { server.receive(std::move(frame), now); });
    if (server.deadline() <= now) server.expire(now);
    moved += port.send([&](Frame& out) { return server.next(out); });
    stats.tick(now, [&] { ports::print_stats(now, name, port.counters()); });
    return moved;
  });
}

int run(const ports::HostOptions& options) {
  cluster::Spec cluster = endpoints::read_cluster_file(options.cluster);
  const endpoints::ServerSeat seat = endpoints::server_seat(cluster, options.host);
  if (options.job_id) endpoints::register_again(cluster.jobs[seat.job], *options.job_id);
  ports::HostLink link(options, cluster);
  const auto server = endpoints::make_server(cluster, seat, link.values());
  if (const auto clock = link.begin()) {
    serve(options, *clock, cluster.name_of(options.host), link.port(), *server);
  }
  if (!options.report.empty()) {  // also of a server that was stopped before the run began
    const ports::Port& port = link.port();
    endpoints::write_report(
        options.report,
        {{"job", seat.job},
         {"server", seat.index},
         {"open_entries", server->open_entries()},
         {"rejected_frames", server->statistics().rejected_frames + port.counters().malformed},
         {"port", ports::to_json(port.counters())}});
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return ina::ports::run_host_main(
      argc, argv, {"ina-ps", "A parameter server of a job, until it is stopped by SIGTERM.", run});
}
