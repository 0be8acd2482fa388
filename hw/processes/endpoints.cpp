// SPDX-License-Identifier: BSD-3-Clause
#include "hw/processes/endpoints.hpp"

namespace ina::processes {

std::unique_ptr<WorkerTransport> make_transport(const Spec& cluster, WorkerId self, ValuePool& pool,
                                                ResultSink& sink) {
  const cluster::Registration job = cluster.registration_for_hosts(cluster.jobs[self.job]);
  return cluster.system->make_worker(job.worker(self.rank), pool, sink);
}

std::unique_ptr<ParameterServer> make_server(const Spec& cluster, ServerId self, ValuePool& pool) {
  const JobSpec& spec = cluster.jobs[self.job];
  const cluster::Registration job = cluster.registration_for_hosts(spec);
  const std::uint32_t psns_per_iteration = spec.training.partitions.fragments_per_iteration();
  return cluster.system->make_server(job.server(self.index, psns_per_iteration), pool);
}

}  // namespace ina::processes
