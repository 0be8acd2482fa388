// SPDX-License-Identifier: BSD-3-Clause
// The parameter server of one job on a DPDK port. Exit status: 0, 1 (trouble with the machine), 2
// (wrong options, cluster or port).
#include "hw/dpdk/endpoints/endpoints.hpp"
#include "hw/dpdk/ports/eal.hpp"
#include "hw/dpdk/ports/program.hpp"

namespace {

using namespace ina;

int run(const ports::Options& options, HostId host, const std::string& device) {
  const endpoints::Cluster cluster = endpoints::read_cluster(options.cluster);
  const JobId job = endpoints::server_seat(cluster, host);
  const ports::Eal eal({{device}, options.hugepages});
  ValuePool values(cluster.values_per_packet);
  ports::Port port(device, cluster.protocol, values, ports::make_mempool(1));
  const auto server = endpoints::make_server(cluster, job, values);
  ports::wait_for_link(port, device);
  const auto clock = ports::begin(options);
  if (!clock) return 0;

  ports::Stats stats(options.stats);
  ports::run_until_stopped(*clock, [&](Time now) {
    std::size_t moved =
        port.receive([&](Frame&& frame) { server->receive(std::move(frame), now); });
    if (server->deadline() <= now) server->expire(now);
    moved += port.send([&](Frame& out) { return server->next(out); });
    stats.tick(now, [&] { ports::print_stats(now, "ps" + std::to_string(job), port.counters()); });
    return moved;
  });
  if (!options.report.empty()) {
    endpoints::write_report(
        options.report,
        {{"job", job},
         {"open_entries", server->open_entries()},
         {"foreign_frames", server->statistics().foreign_frames + port.counters().malformed},
         {"port", ports::to_json(port.counters())}});
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  HostId host = 0;
  std::string device;
  return ina::ports::run_main(
      argc, argv,
      {"ina-ps", "The parameter server of a job, until it is stopped by SIGTERM.",
       [&](CLI::App& app) {
         app.add_option("--host", host, "which host of the cluster this is")->required();
         app.add_option("--port", device, "DPDK device, such as net_af_packet0,iface=eth0")
             ->required();
       },
       [&](const ports::Options& options) { return run(options, host, device); }});
}
