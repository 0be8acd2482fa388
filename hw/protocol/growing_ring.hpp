// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace ina {

/// A queue in a ring that doubles when it is full: no allocation once it has grown to what it
/// holds. Every packet passes through such queues at every hop, where boost::circular_buffer takes
/// several times the instructions.
template <class Item, std::uint32_t kInitialCapacity = 64>
class GrowingRing {
 public:
  GrowingRing() : GrowingRing(kInitialCapacity) {}
  GrowingRing(GrowingRing&& other) noexcept : GrowingRing(0) { swap(other); }
  GrowingRing& operator=(GrowingRing&& other) noexcept {
    swap(other);
    return *this;
  }
  ~GrowingRing() {
    clear();
    std::allocator<Item>().deallocate(items_, capacity_);
  }

  bool empty() const { return size_ == 0; }
  /// One more item takes new memory.
  bool is_full() const { return size_ == capacity_; }
  std::size_t size() const { return size_; }
  Item& front() { return items_[first_]; }
  const Item& front() const { return items_[first_]; }
  /// The items from the front on.
  Item& operator[](std::size_t index) { return items_[wrapped(index)]; }
  const Item& operator[](std::size_t index) const { return items_[wrapped(index)]; }

  /// Brings the item into the cache, if there is one.
  void prefetch(std::size_t index) const { __builtin_prefetch(items_ + wrapped(index)); }

  template <class... Arguments>
  Item& emplace_back(Arguments&&... arguments) {
    if (is_full()) grow();
    Item* const item = ::new (static_cast<void*>(items_ + wrapped(size_)))
        Item{std::forward<Arguments>(arguments)...};
    push_staged();
    return *item;
  }
  /// A new item behind the last one, to be filled in where it will stand: push_staged() makes it
  /// the last one, or drop_staged() ends it. Until then nothing may be added or taken.
  Item& stage() {
    if (is_full()) grow();
    return *::new (static_cast<void*>(items_ + wrapped(size_))) Item{};
  }
  Item& staged() { return items_[wrapped(size_)]; }
  void push_staged() {
    ++size_;
    // The next item may come after many of other queues: it is out of the cache by then.
    __builtin_prefetch(items_ + wrapped(size_), 1);
  }
  void drop_staged() { std::destroy_at(&staged()); }
  void pop_front() {
    std::destroy_at(&front());
    --size_;
    // Once it is empty it begins anew: so few cache lines are in use as it has items at a time.
    first_ = size_ == 0 ? 0 : static_cast<std::uint32_t>(wrapped(1));
  }
  /// Without a look at the first `count` items, which have nothing left to destroy.
  void forget_front(std::size_t count) {
    size_ -= static_cast<std::uint32_t>(count);
    first_ = size_ == 0 ? 0 : static_cast<std::uint32_t>(wrapped(count));
  }
  void clear() {
    while (!empty()) pop_front();
  }

 private:
  static_assert(std::has_single_bit(kInitialCapacity));

  explicit GrowingRing(std::uint32_t capacity)
      : items_(std::allocator<Item>().allocate(capacity)), capacity_(capacity) {}

  std::size_t wrapped(std::size_t index) const { return (first_ + index) & (capacity_ - 1); }

  // Out of line: it would take registers from every caller of emplace_back.
  [[gnu::cold, gnu::noinline]] void grow() {
    GrowingRing wider(capacity_ == 0 ? kInitialCapacity : 2 * capacity_);
    for (; !empty(); pop_front()) wider.emplace_back(std::move(front()));
    swap(wider);
  }
  void swap(GrowingRing& other) noexcept {
    std::swap(items_, other.items_);
    std::swap(capacity_, other.capacity_);
    std::swap(first_, other.first_);
    std::swap(size_, other.size_);
  }

  Item* items_;
  std::uint32_t capacity_;  // a power of two; 0: moved from
  std::uint32_t first_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace ina
