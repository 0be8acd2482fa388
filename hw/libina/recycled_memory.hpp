// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <memory_resource>
#include <mutex>

namespace ina::library {

/// Memory that is used again and again: what comes back is kept for the next of about its size. The
/// pages of a large array cost more when they are fresh from the kernel than its all-reduce.
class RecycledMemory final : public std::pmr::memory_resource {
 public:
  RecycledMemory() = default;
  ~RecycledMemory() override;
  RecycledMemory(const RecycledMemory&) = delete;
  RecycledMemory& operator=(const RecycledMemory&) = delete;

 private:
  struct Block {
    Block* next;
  };

  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::mutex mutex_;
  // What came back, by the exponent of its size, which is a power of two.
  std::array<Block*, std::numeric_limits<std::size_t>::digits> returned_{};
};

}  // namespace ina::library
