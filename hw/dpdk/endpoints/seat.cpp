// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/endpoints/seat.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "hw/dpdk/endpoints/input_error.hpp"

namespace ina::endpoints {

Seat worker_seat(const Spec& cluster, HostId host) {
  for (std::size_t job = 0; job < cluster.jobs.size(); ++job) {
    const auto& workers = cluster.jobs[job].workers;
    const auto found = std::ranges::find(workers, host);
    if (found != workers.end()) {
      return {static_cast<JobId>(job), static_cast<std::uint16_t>(found - workers.begin())};
    }
  }
  throw InputError("host " + std::to_string(host) + " is no worker of any job");
}

JobId server_seat(const Spec& cluster, HostId host) {
  const auto found = std::ranges::find(cluster.jobs, host, &JobSpec::server);
  if (!cluster.has_servers() || found == cluster.jobs.end()) {
    throw InputError("host " + std::to_string(host) + " is no parameter server of any job");
  }
  return static_cast<JobId>(found - cluster.jobs.begin());
}

void register_again(JobSpec& job, JobId id) {
  job.gradient_seed = job.gradient_seed - job.id + id;
  job.id = id;
}

}  // namespace ina::endpoints
