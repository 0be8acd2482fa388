// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/wire/job_servers.hpp"

#include <bit>

namespace ina::wire {

JobServers::JobServers(std::span<const HostId> hosts, std::uint32_t psns_of_a_range)
    : count_(static_cast<std::uint8_t>(hosts.size())) {
  if (count_ > 1) {
    shift_ = static_cast<std::uint8_t>(std::countr_zero(psns_of_a_range));
    mask_ = kRangesDealt - 1;
  }
  for (std::size_t range = 0; range < host_of_.size(); ++range) {
    host_of_[range] = hosts[range % hosts.size()];
  }
}

}  // namespace ina::wire
