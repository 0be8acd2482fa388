// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/endpoints/endpoints.hpp"

namespace ina::endpoints {

std::unique_ptr<WorkerTransport> make_transport(const Spec& cluster, Seat seat, ValuePool& pool,
                                                ResultSink& sink) {
  const cluster::Registration job = cluster.registration_for_hosts(cluster.jobs[seat.job]);
  return cluster.system->make_worker(job.worker(seat.rank), pool, sink);
}

std::unique_ptr<ParameterServer> make_server(const Spec& cluster, ServerSeat seat,
                                             ValuePool& pool) {
  const JobSpec& spec = cluster.jobs[seat.job];
  const cluster::Registration job = cluster.registration_for_hosts(spec);
  const std::uint32_t psns_per_iteration = spec.training.partitions.fragments_per_iteration();
  return cluster.system->make_server(job.server(seat.index, psns_per_iteration), pool);
}

}  // namespace ina::endpoints
