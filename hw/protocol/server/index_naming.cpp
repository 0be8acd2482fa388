// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/server/index_naming.hpp"

namespace ina {

IndexNaming::IndexNaming(JobId job, const wire::AddressingConfig& config,
                         const wire::JobServers& servers, HostId host)
    : config_(config),
      servers_(servers),
      host_(host),
      hash_(job, config.aggregators, config.hash),
      free_(job, config.aggregators, config.hash) {
  if (config.scheme == wire::AddressingScheme::table) {
    table_ = free_.draw_table(config.table_entries);
    leave_to_others();
  }
}

/// Reserves one residue class of the initially unused indices for this server. The other classes
/// belong to the other servers.
void IndexNaming::leave_to_others() {
  if (servers_.count() == 1) return;
  for (std::uint32_t index = 0; index < config_.aggregators; ++index) {
    const std::size_t taker = index % servers_.count();
    if (servers_.host(taker) != host_) free_.take(index);
  }
}

void IndexNaming::name(Frame& result, bool collided) {
  if (!table_.empty()) {
    const auto entry = static_cast<Psn>(result.psn % table_.size());
    if (servers_.of(entry) != host_) return;
    std::uint32_t& index = table_[entry];
    // A fragment that was sent under another index does not have this index yet.
    if (collided && result.aggregator().index == index) replace(index);
    result.set(flag::new_index);
    result.aggregator().next_index = index;
  } else if (collided && config_.scheme == wire::AddressingScheme::hash && config_.rehash) {
    result.set(flag::new_index);
    result.aggregator().next_index = hash_.rehash(result.aggregator().index);
  }
}

/// Keeps the index if the table contains every aggregator.
void IndexNaming::replace(std::uint32_t& index) {
  const auto drawn = free_.draw();
  if (!drawn) return;
  free_.give_back(index);
  index = *drawn;
}

}  // namespace ina
