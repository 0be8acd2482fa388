// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/transport/worker_addressing.hpp"

#include <numeric>

#include "hw/protocol/wire/distinct_indices.hpp"

namespace ina {

namespace {

constexpr int kMaxRehashes = 8;  // rehashes may form a cycle

}  // namespace

WorkerAddressing::WorkerAddressing(JobId job, const wire::AddressingConfig& config)
    : scheme_(config.scheme),
      aggregators_(config.aggregators),
      hash_(job, config.aggregators, config.hash) {
  if (scheme_ == wire::AddressingScheme::table) {
    table_ = wire::DistinctIndices(job, aggregators_, config.hash).draw_table(config.table_entries);
    range_ = static_cast<std::uint32_t>(table_.size());
  }
}

void WorkerAddressing::remap(const Frame& result) {
  const std::uint32_t from = result.aggregator().index;
  const std::uint32_t to = result.aggregator().next_index;
  if (from >= aggregators_ || to >= aggregators_) return;
  if (remapped_.empty()) {
    remapped_.resize(aggregators_);
    std::iota(remapped_.begin(), remapped_.end(), 0U);
  }
  remapped_[from] = to;
}

std::uint32_t WorkerAddressing::remapped(std::uint32_t index) const {
  // A new index may itself have collided.
  for (int i = 0; i < kMaxRehashes && remapped_[index] != index; ++i) index = remapped_[index];
  return index;
}

}  // namespace ina
