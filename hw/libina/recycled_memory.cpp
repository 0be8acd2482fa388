// SPDX-License-Identifier: BSD-3-Clause
#include "hw/libina/recycled_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>
#include <utility>

namespace ina::library {

namespace {

constexpr std::size_t kLeastBytes = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t exponent_of(std::size_t bytes) {
  return static_cast<std::size_t>(std::bit_width(std::max(bytes, kLeastBytes) - 1));
}

/// A block may be larger than requested: its untouched pages take no memory.
void* fresh(std::size_t bytes) {
  void* const memory = std::aligned_alloc(std::min(bytes, kHugePage), bytes);
  if (memory == nullptr) throw std::bad_alloc();
  if (bytes >= kHugePage) madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

}  // namespace

RecycledMemory::~RecycledMemory() {
  for (Block* block : returned_) {
    while (block != nullptr) std::free(std::exchange(block, block->next));
  }
}

void* RecycledMemory::do_allocate(std::size_t bytes, std::size_t) {
  const std::size_t exponent = exponent_of(bytes);
  const std::lock_guard lock(mutex_);
  Block*& returned = returned_[exponent];
  if (returned != nullptr) return std::exchange(returned, returned->next);
  return fresh(std::size_t{1} << exponent);
}

void RecycledMemory::do_deallocate(void* memory, std::size_t bytes, std::size_t) {
  const std::lock_guard lock(mutex_);
  Block*& returned = returned_[exponent_of(bytes)];
  returned = ::new (memory) Block{returned};
}

}  // namespace ina::library
