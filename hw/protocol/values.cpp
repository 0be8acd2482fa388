// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/values.hpp"

#include <cstdlib>
#include <exception>
#include <new>
#include <utility>

#include "hw/protocol/cache_line.hpp"

namespace ina {

namespace {

std::size_t stride_for(std::size_t bytes) {
  const std::size_t unit = bytes <= kCacheLineBytes ? 2 * sizeof(std::uint64_t) : kCacheLineBytes;
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

void ValuePool::FreeChunk::operator()(std::byte* chunk) const { std::free(chunk); }

ValuePool::ValuePool(std::size_t count)
    : count_(count),
      stride_bytes_(stride_for(count * sizeof(std::int32_t) + sizeof(Values::Footer))) {}

ValuePool::~ValuePool() {
  if (taken_ == 0) return;
  auto* orphan = new (std::nothrow) ValuePool(count_);
  if (orphan == nullptr) std::terminate();
  orphan->is_orphaned_ = true;
  orphan->taken_ = taken_;
  orphan->free_ = free_;
  orphan->chunks_ = std::move(chunks_);
  for (const auto& chunk : orphan->chunks_) {
    reinterpret_cast<ChunkHeader*>(chunk.get())->pool = orphan;
  }
}

void ValuePool::grow() {
  auto* chunk = static_cast<std::byte*>(std::aligned_alloc(kChunkBytes, kChunkBytes));
  if (chunk == nullptr) throw std::bad_alloc();
  chunks_.emplace_back(chunk);
  ::new (static_cast<void*>(chunk)) ChunkHeader{this, count_};
  const std::size_t buffers = (kChunkBytes - kChunkHeaderBytes) / stride_bytes_;
  for (std::size_t i = buffers; i-- > 0;) {
    auto* data = reinterpret_cast<std::int32_t*>(chunk + kChunkHeaderBytes + i * stride_bytes_);
    next_free(data) = free_;
    free_ = data;
  }
}

}  // namespace ina
