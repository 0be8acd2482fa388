// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "hw/protocol/cache_line.hpp"

namespace ina::software {

/// Counts the bytes in a buffer that one or several threads fill. If there is only one thread, it
/// avoids atomic read-modify-write operations.
class Occupancy {
 public:
  explicit Occupancy(bool alone) : alone_(alone) {}

  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

  void add(std::uint64_t bytes) {
    if (alone_) {
      bytes_.store(this->bytes() + bytes, std::memory_order_relaxed);
    } else {
      bytes_.fetch_add(bytes, std::memory_order_relaxed);
    }
  }
  void remove(std::uint64_t bytes) {
    if (alone_) {
      bytes_.store(this->bytes() - bytes, std::memory_order_relaxed);
    } else {
      bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    }
  }
  /// Adds the bytes unless the total would exceed `limit`. If several threads try at once, all may
  /// be refused although there was room for one, and bytes() may exceed `limit` in between.
  bool add_within(std::uint64_t limit, std::uint64_t bytes) {
    if (alone_) {
      if (this->bytes() + bytes > limit) return false;
      add(bytes);
      return true;
    }
    if (bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= limit) return true;
    bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }

 private:
  alignas(kCacheLineBytes) std::atomic<std::uint64_t> bytes_ = 0;
  bool alone_;
};

}  // namespace ina::software
