// SPDX-License-Identifier: BSD-3-Clause
// Memory for libina's copies of arrays. Only returned blocks are reused.
#include "hw/libina/recycled_memory.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>

namespace ina::library {
namespace {

constexpr std::size_t kSizes[] = {1, 63, 64, 65, 4096, 1'000'000, 5'000'000};

TEST(RecycledMemory, GivesAgainWhatCameBackOfTheSameSize) {
  RecycledMemory memory;
  for (const std::size_t bytes : kSizes) {
    void* const first = memory.allocate(bytes);
    memory.deallocate(first, bytes);
    EXPECT_EQ(memory.allocate(bytes), first) << bytes;
    memory.deallocate(first, bytes);
  }
}

TEST(RecycledMemory, GivesNothingTwiceAtATime) {
  RecycledMemory memory;
  std::set<void*> given;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(given.insert(memory.allocate(100)).second) << i;
  for (void* const block : given) memory.deallocate(block, 100);
  std::set<void*> again;
  for (int i = 0; i < 100; ++i) again.insert(memory.allocate(100));
  EXPECT_EQ(again, given);
  for (void* const block : again) memory.deallocate(block, 100);
}

TEST(RecycledMemory, GivesAlignedMemoryOfTheWholeSize) {
  RecycledMemory memory;
  for (const std::size_t bytes : kSizes) {
    void* const block = memory.allocate(bytes, alignof(std::max_align_t));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignof(std::max_align_t), 0U) << bytes;
    std::memset(block, 1, bytes);  // AddressSanitizer checks that the whole block is usable
    memory.deallocate(block, bytes);
  }
}

}  // namespace
}  // namespace ina::library
