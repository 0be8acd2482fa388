// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/endpoints/endpoints.hpp"

#include "hw/protocol/server/atp_server.hpp"
#include "hw/protocol/server/dsa_server.hpp"
#include "hw/protocol/transport/atp_worker.hpp"
#include "hw/protocol/transport/dsa_worker.hpp"
#include "hw/protocol/transport/switchml_worker.hpp"

namespace ina::endpoints {

namespace {

SwitchmlWorker::Config switchml_config(const Cluster& cluster, const Job& job) {
  SwitchmlWorker::Config config{job.slots, cluster.values_per_packet, cluster.worker_timeout,
                                cluster.adaptive_timeout};
  if (cluster.window.enabled) config.congestion_control = cluster.window;
  return config;
}

}  // namespace

std::unique_ptr<WorkerTransport> make_transport(const Cluster& cluster, Seat seat, ValuePool& pool,
                                                ResultSink& sink) {
  const Job& job = cluster.jobs[seat.job];
  const auto workers = static_cast<std::uint16_t>(job.workers.size());
  const WorkerIdentity identity{job.id,     seat.rank,           workers, job.workers[seat.rank],
                                job.server, job.paths[seat.rank]};
  const Time timeout = cluster.worker_timeout;
  switch (cluster.protocol) {
    case wire::Protocol::switchml:
      return std::make_unique<SwitchmlWorker>(identity, switchml_config(cluster, job), pool, sink);
    case wire::Protocol::atp:
      return std::make_unique<AtpWorker>(
          identity, AtpWorker::Config{cluster.addressing, cluster.window, timeout}, pool, sink);
    default:
      break;
  }
  return std::make_unique<DsaWorker>(
      identity, DsaWorker::Config{cluster.addressing, cluster.window, timeout}, pool, sink);
}

std::unique_ptr<ParameterServer> make_server(const Cluster& cluster, JobId id, ValuePool& pool) {
  const Job& job = cluster.jobs[id];
  const ServerIdentity identity{job.id,
                                static_cast<std::uint16_t>(job.workers.size()),
                                job.server,
                                job.training.partitions.fragments_per_iteration(),
                                wire::branches(job.paths),
                                job.workers};
  if (cluster.protocol == wire::Protocol::atp) {
    return std::make_unique<AtpServer>(
        identity,
        AtpServer::Config{cluster.addressing, cluster.kept_results, cluster.server_timeout});
  }
  DsaServer::Config config;
  config.reminder_min_timeout = cluster.server_timeout;
  config.addressing = cluster.addressing;
  return std::make_unique<DsaServer>(identity, config, pool);
}

}  // namespace ina::endpoints
