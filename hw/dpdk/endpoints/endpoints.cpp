// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/endpoints/endpoints.hpp"

namespace ina::endpoints {

std::unique_ptr<WorkerTransport> make_transport(const Spec& cluster, Seat seat, ValuePool& pool,
                                                ResultSink& sink) {
  const JobSpec& job = cluster.jobs[seat.job];
  const auto workers = static_cast<std::uint16_t>(job.workers.size());
  const WorkerIdentity identity{job.id,     seat.rank,
                                workers,    job.workers[seat.rank],
                                job.server, cluster.paths(job)[seat.rank]};
  return cluster.system->make_worker(identity, pool, sink);
}

std::unique_ptr<ParameterServer> make_server(const Spec& cluster, JobId id, ValuePool& pool) {
  const JobSpec& job = cluster.jobs[id];
  const ServerIdentity identity{job.id,      static_cast<std::uint16_t>(job.workers.size()),
                                job.server,  job.training.partitions.fragments_per_iteration(),
                                job.workers, cluster.paths(job)};
  return cluster.system->make_server(identity, pool);
}

}  // namespace ina::endpoints
