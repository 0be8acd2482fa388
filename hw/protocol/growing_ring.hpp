// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "hw/protocol/cache_line.hpp"

namespace ina {

/// A queue in a ring buffer that doubles when it is full, so it no longer allocates once it has
/// reached its maximum size. Every packet passes through queues of this class at every hop.
/// boost::circular_buffer would take several times as many instructions for it.
template <class Item, std::uint32_t kInitialCapacity = 64>
class GrowingRing {
 public:
  GrowingRing() : GrowingRing(kInitialCapacity) {}
  GrowingRing(GrowingRing&& other) noexcept
      : items_(std::exchange(other.items_, nullptr)),
        mask_(std::exchange(other.mask_, kNoCapacity - 1)),
        first_(std::exchange(other.first_, 0)),
        end_(std::exchange(other.end_, 0)) {}
  GrowingRing& operator=(GrowingRing&& other) noexcept {
    swap(other);
    return *this;
  }
  ~GrowingRing() {
    clear();
    std::allocator<Item>().deallocate(items_, capacity());
  }

  bool empty() const { return first_ == end_; }
  /// Whether one more item would allocate memory.
  bool is_full() const { return size() == capacity(); }
  std::size_t size() const { return end_ - first_; }
  Item& front() { return *place(first_); }
  const Item& front() const { return *place(first_); }
  /// Item at `index`, counted from the front of the queue.
  Item& operator[](std::size_t index) { return *place(first_ + index); }
  const Item& operator[](std::size_t index) const { return *place(first_ + index); }

  /// Prefetches the memory of an item. The index may be beyond the end.
  void fetch(std::size_t index) const { fetch_line(place(first_ + index)); }
  /// Prefetches the memory of the next item to be added.
  void fetch_end() const { fetch_line_to_write(place(end_)); }

  template <class... Arguments>
  Item& emplace_back(Arguments&&... arguments) {
    if (is_full()) grow();
    Item* const item =
        ::new (static_cast<void*>(place(end_))) Item{std::forward<Arguments>(arguments)...};
    push_staged();
    return *item;
  }
  /// Returns a new item for the caller to fill. push_staged() then appends it to the queue, or
  /// drop_staged() discards it. Until then, no other item may be added or removed.
  Item& stage() {
    if (is_full()) grow();
    return *::new (static_cast<void*>(place(end_))) Item{};
  }
  Item& staged() { return *place(end_); }
  void push_staged() { ++end_; }
  void drop_staged() { std::destroy_at(&staged()); }
  void pop_front() {
    std::destroy_at(&front());
    forget_front(1);
  }
  /// Drops the first `count` items without running their destructors.
  void forget_front(std::size_t count) {
    first_ += static_cast<std::uint32_t>(count);
    // An empty ring restarts at the beginning of its memory. It thus uses no more cache lines than
    // its longest queue needs.
    if (first_ == end_) first_ = end_ = 0;
  }
  void clear() {
    while (!empty()) pop_front();
  }

 private:
  static_assert(std::has_single_bit(kInitialCapacity));
  static constexpr std::uint32_t kNoCapacity = 0;  // capacity of a moved-from ring

  explicit GrowingRing(std::uint32_t capacity)
      : items_(std::allocator<Item>().allocate(capacity)), mask_(capacity - 1) {}

  std::uint32_t capacity() const { return mask_ + 1; }
  Item* place(std::size_t index) const { return items_ + (index & mask_); }

  // Not inlined, since it would take registers from every caller of emplace_back.
  [[gnu::cold, gnu::noinline]] void grow() {
    GrowingRing wider(capacity() == kNoCapacity ? kInitialCapacity : 2 * capacity());
    for (; !empty(); pop_front()) wider.emplace_back(std::move(front()));
    swap(wider);
  }
  void swap(GrowingRing& other) noexcept {
    std::swap(items_, other.items_);
    std::swap(mask_, other.mask_);
    std::swap(first_, other.first_);
    std::swap(end_, other.end_);
  }

  Item* items_;
  std::uint32_t mask_;  // capacity - 1; the capacity is a power of two or kNoCapacity
  // Both counters may exceed the capacity. Modulo the capacity, they are positions in items_.
  std::uint32_t first_ = 0;
  std::uint32_t end_ = 0;
};

}  // namespace ina
