// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/wire/job_servers.hpp"

namespace ina::wire {

JobServers::JobServers(std::span<const HostId> hosts)
    : count_(static_cast<std::uint8_t>(hosts.size())), mask_(count_ > 1 ? kPsnsDealt - 1 : 0) {
  for (std::size_t psn = 0; psn < host_of_.size(); ++psn) host_of_[psn] = hosts[psn % count_];
}

}  // namespace ina::wire
