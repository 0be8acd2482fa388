// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <memory_resource>
#include <mutex>

namespace ina::library {

/// Keeps freed memory for later requests of about the same size, until this object is destroyed.
/// For large arrays, fresh pages of the kernel would cost more time than the sums. Thread-safe.
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
  // Freed blocks, indexed by the exponent of their size, which is a power of two.
  std::array<Block*, std::numeric_limits<std::size_t>::digits> returned_{};
};

}  // namespace ina::library
