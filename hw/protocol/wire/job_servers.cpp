// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/wire/job_servers.hpp"

#include <stdexcept>
#include <string>

namespace ina::wire {

namespace {

std::span<const HostId> checked(std::span<const HostId> hosts) {
  if (hosts.empty() || hosts.size() > kMaxServers) {
    throw std::length_error(std::to_string(hosts.size()) +
                            " parameter servers of a job; allowed: 1 to " +
                            std::to_string(kMaxServers));
  }
  return hosts;
}

}  // namespace

JobServers::JobServers(std::span<const HostId> hosts)
    : count_(static_cast<std::uint8_t>(checked(hosts).size())),
      mask_(count_ > 1 ? kPsnsDealt - 1 : 0) {
  for (std::size_t psn = 0; psn < host_of_.size(); ++psn) host_of_[psn] = hosts[psn % count_];
}

}  // namespace ina::wire
