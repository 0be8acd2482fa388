// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/wire/distinct_indices.hpp"

#include <algorithm>

namespace ina::wire {

namespace {

/// Number of attempts by hash. Afterwards the next free index is used, because nearly all indices
/// may be taken, or the hash may never return some indices.
constexpr int kDraws = 16;

}  // namespace

std::optional<std::uint32_t> DistinctIndices::draw() {
  const auto aggregators = static_cast<std::uint32_t>(taken_.size());
  if (count_ == aggregators) return std::nullopt;
  std::uint32_t index = hash_.index(drawn_++);
  for (int i = 1; i < kDraws && taken_[index] != 0; ++i) index = hash_.index(drawn_++);
  while (taken_[index] != 0) index = index + 1 == aggregators ? 0 : index + 1;
  taken_[index] = 1;
  ++count_;
  return index;
}

void DistinctIndices::give_back(std::uint32_t index) {
  taken_[index] = 0;
  --count_;
}

void DistinctIndices::take(std::uint32_t index) {
  if (taken_[index] != 0) return;
  taken_[index] = 1;
  ++count_;
}

std::vector<std::uint32_t> DistinctIndices::draw_table(std::uint32_t entries) {
  std::vector<std::uint32_t> indices;
  indices.reserve(std::min<std::size_t>(entries, taken_.size()));
  while (indices.size() < entries) {
    const auto index = draw();
    if (!index) break;
    indices.push_back(*index);
  }
  return indices;
}

}  // namespace ina::wire
