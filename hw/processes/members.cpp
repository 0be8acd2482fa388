// SPDX-License-Identifier: BSD-3-Clause
#include "hw/processes/members.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "hw/processes/input_error.hpp"

namespace ina::processes {

namespace {

/// The job that has the host in `hosts`, and the host's index there.
template <class Id>
std::optional<Id> find_member(const Spec& cluster, HostId host,
                              std::vector<HostId> JobSpec::*hosts) {
  for (std::size_t job = 0; job < cluster.jobs.size(); ++job) {
    const std::vector<HostId>& all = cluster.jobs[job].*hosts;
    const auto found = std::ranges::find(all, host);
    if (found == all.end()) continue;
    return Id{static_cast<JobId>(job), static_cast<std::uint16_t>(found - all.begin())};
  }
  return std::nullopt;
}

}  // namespace

WorkerId find_worker(const Spec& cluster, HostId host) {
  if (const auto worker = find_member<WorkerId>(cluster, host, &JobSpec::workers)) return *worker;
  throw InputError("host " + std::to_string(host) + " is not a worker of any job");
}

ServerId find_server(const Spec& cluster, HostId host) {
  const auto server = find_member<ServerId>(cluster, host, &JobSpec::servers);
  if (server && cluster.has_servers()) return *server;
  throw InputError("host " + std::to_string(host) + " is not a parameter server of any job");
}

}  // namespace ina::processes
