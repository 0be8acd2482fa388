// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <boost/lockfree/spsc_queue.hpp>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "hw/protocol/cache_line.hpp"

namespace ina::ports {

/// Moves items between cores. There is one ring per ordered pair of cores, so items from one core
/// to another stay in order. No core ever waits: if a ring is full, its sender gets the item back.
template <class Item>
class CoreRings {
 public:
  /// Maximum number of items moved at once.
  static constexpr std::size_t kBurst = 32;

  /// `capacity`: number of items that each ring holds.
  CoreRings(unsigned cores, std::size_t capacity)
      : cores_(cores), staged_(std::size_t{cores} * cores) {
    for (Staged& staged : staged_) {
      rings_.push_back(std::make_unique<Ring>(capacity));
      staged.items.reserve(kBurst);
    }
  }

  unsigned cores() const { return cores_; }

  /// Stages an item from one core to another; flush(from) moves it.
  void put(unsigned from, unsigned to, Item item) {
    staged_[ring_index(from, to)].items.push_back(std::move(item));
  }

  /// Moves the staged items of a core. Calls `refuse(Item)` for each item whose ring is full.
  template <class Refuse>
  void flush(unsigned from, Refuse&& refuse) {
    for (unsigned to = 0; to < cores_; ++to) {
      std::vector<Item>& staged = staged_[ring_index(from, to)].items;
      if (staged.empty()) continue;
      const std::size_t moved = ring(from, to).push(staged.data(), staged.size());
      for (std::size_t i = moved; i < staged.size(); ++i) refuse(std::move(staged[i]));
      staged.clear();
    }
  }

  /// Calls `take(items, count)` for items from other cores, at most kBurst from each. Returns the
  /// total number of items.
  template <class Take>
  std::size_t collect(unsigned to, Take&& take) {
    std::array<Item, kBurst> burst{};
    std::size_t collected = 0;
    for (unsigned from = 0; from < cores_; ++from) {
      const std::size_t count = from == to ? 0 : ring(from, to).pop(burst.data(), burst.size());
      if (count != 0) take(burst.data(), count);
      collected += count;
    }
    return collected;
  }

 private:
  using Ring = boost::lockfree::spsc_queue<Item>;

  /// Aligned, so that no two cores write to the same cache line.
  struct alignas(kCacheLineBytes) Staged {
    std::vector<Item> items;
  };

  std::size_t ring_index(unsigned from, unsigned to) const {
    return std::size_t{from} * cores_ + to;
  }
  Ring& ring(unsigned from, unsigned to) { return *rings_[ring_index(from, to)]; }

  unsigned cores_;
  std::vector<std::unique_ptr<Ring>> rings_;  // the ring from a core to itself is unused
  std::vector<Staged> staged_;
};

}  // namespace ina::ports
