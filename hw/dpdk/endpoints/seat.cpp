// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/endpoints/seat.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "hw/dpdk/endpoints/input_error.hpp"

namespace ina::endpoints {

namespace {

/// The job and the place of the host in its `hosts`.
template <class AnySeat>
std::optional<AnySeat> find_seat(const Spec& cluster, HostId host,
                                 std::vector<HostId> JobSpec::*hosts) {
  for (std::size_t job = 0; job < cluster.jobs.size(); ++job) {
    const std::vector<HostId>& all = cluster.jobs[job].*hosts;
    const auto found = std::ranges::find(all, host);
    if (found == all.end()) continue;
    return AnySeat{static_cast<JobId>(job), static_cast<std::uint16_t>(found - all.begin())};
  }
  return std::nullopt;
}

}  // namespace

Seat worker_seat(const Spec& cluster, HostId host) {
  if (const auto seat = find_seat<Seat>(cluster, host, &JobSpec::workers)) return *seat;
  throw InputError("host " + std::to_string(host) + " is no worker of any job");
}

ServerSeat server_seat(const Spec& cluster, HostId host) {
  const auto seat = find_seat<ServerSeat>(cluster, host, &JobSpec::servers);
  if (seat && cluster.has_servers()) return *seat;
  throw InputError("host " + std::to_string(host) + " is no parameter server of any job");
}

void register_again(JobSpec& job, JobId id) {
  job.gradient_seed = job.gradient_seed - job.id + id;
  job.id = id;
}

}  // namespace ina::endpoints
