// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/server/index_naming.hpp"

namespace ina {

IndexNaming::IndexNaming(JobId job, const wire::AddressingConfig& config)
    : config_(config),
      hash_(job, config.aggregators, config.hash),
      free_(job, config.aggregators, config.hash) {
  if (config.scheme == wire::AddressingScheme::table) {
    table_ = free_.draw_table(config.table_entries);
  }
}

void IndexNaming::name(Frame& result, bool collided) {
  if (!table_.empty()) {
    std::uint32_t& index = table_[result.psn % table_.size()];
    // A fragment that was sent under another index has not heard of this one yet.
    if (collided && result.aggregator_index == index) replace(index);
    result.set(flag::new_index);
    result.bitmap0 = index;
  } else if (collided && config_.scheme == wire::AddressingScheme::hash && config_.rehash) {
    result.set(flag::new_index);
    result.bitmap0 = hash_.rehash(result.aggregator_index);
  }
}

/// Keeps it if the table has every aggregator.
void IndexNaming::replace(std::uint32_t& index) {
  const auto drawn = free_.draw();
  if (!drawn) return;
  free_.give_back(index);
  index = *drawn;
}

}  // namespace ina
