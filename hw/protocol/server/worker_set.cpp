// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/server/worker_set.hpp"

namespace ina {

bool Branches::has_those_of(const Frame& frame) const {
  const AggregatorFields& fields = frame.aggregator();
  if (fields.bitmap1 == 0) {
    return size() == 1 && fields.bitmap0 != 0 && (fields.bitmap0 & ~everyone_.front()) == 0;
  }
  if ((fields.bitmap1 & ~wire::full_bitmap(size())) != 0) return false;
  if (names_whole_branches(frame)) return true;
  const auto branch = static_cast<std::size_t>(std::countr_zero(fields.bitmap1));
  return (fields.bitmap0 & ~everyone_[branch]) == 0;
}

Overlap Branches::overlap(const Frame& frame, const WorkerSet& workers) const {
  Overlap overlap;
  visit(frame, [&](std::size_t branch, std::uint32_t places) {
    overlap.named += static_cast<std::size_t>(std::popcount(places));
    overlap.common += static_cast<std::size_t>(std::popcount(places & workers.places(branch)));
  });
  return overlap;
}

void Branches::add(const Frame& frame, WorkerSet& workers) const {
  visit(frame, [&](std::size_t branch, std::uint32_t places) { workers.add(branch, places); });
}

void WorkerSet::add(std::size_t branch, std::uint32_t places) {
  if (branch > others_.size()) others_.resize(branch);
  std::uint32_t& bitmap = branch == 0 ? bitmap_ : others_[branch - 1];
  count_ += static_cast<std::uint32_t>(std::popcount(places & ~bitmap));
  bitmap |= places;
}

}  // namespace ina
