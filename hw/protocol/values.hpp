// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "hw/protocol/cache_line.hpp"

namespace ina {

class ValuePool;

inline constexpr std::size_t kLineValues = kCacheLineBytes / sizeof(std::int32_t);

/// Prefetches values for writing. If there are many, only the first ones are prefetched; the
/// hardware prefetches the rest.
inline void fetch_values(const std::int32_t* values, std::size_t count) {
  constexpr std::size_t kMost = 8 * kLineValues;
  for (std::size_t i = 0; i < std::min(count, kMost); i += kLineValues) {
    fetch_line_to_write(values + i);
  }
}

/// A counted reference to the int32 values of one fragment in a buffer of a ValuePool. In frames
/// with flag::floats, the values are the bits of float32. The reference is empty in frames without
/// values, and is not thread-safe: a pool belongs to one thread.
class Values {
 public:
  Values() = default;
  Values(const Values& other) : data_(other.data_) {
    if (data_ != nullptr) ++references();
  }
  Values(Values&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  Values& operator=(const Values& other) noexcept {
    Values copy(other);
    std::swap(data_, copy.data_);
    return *this;
  }
  Values& operator=(Values&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  /// Clears the reference.
  void reset() {
    if (data_ != nullptr && --references() == 0) release();
    data_ = nullptr;
  }
  ~Values() { reset(); }

  explicit operator bool() const { return data_ != nullptr; }
  /// Returns the values for writing, and resets verified_as().
  std::int32_t* data() {
    if (data_ != nullptr) footer().verified_as = 0;
    return data_;
  }
  const std::int32_t* data() const { return data_; }
  inline std::size_t size() const;
  std::span<const std::int32_t> span() const { return {data_, size()}; }
  void fetch() const { fetch_values(data_, size()); }

  /// True if this is the only reference, so that the values may be changed in place.
  bool unique() const { return references() == 1; }
  /// The latest argument of set_verified_as(), called on any reference to the buffer. 0 if there
  /// was no call since the values were last written.
  std::uint32_t verified_as() const { return data_ == nullptr ? 0 : footer().verified_as; }
  /// Must not be called if this is empty.
  void set_verified_as(std::uint32_t identity) const { footer().verified_as = identity; }
  /// Returns these values if no other reference exists, otherwise a copy from the same pool.
  inline Values into_unique() &&;

 private:
  friend class ValuePool;
  /// Stored after the values in each buffer.
  struct Footer {
    std::uint32_t references;
    std::uint32_t verified_as;
  };
  explicit Values(std::int32_t* data) : data_(data) {}
  inline ValuePool& pool() const;
  inline Footer& footer() const;
  std::uint32_t& references() const { return footer().references; }
  inline void release();

  std::int32_t* data_ = nullptr;
};

/// A pool of reusable buffers of `count` values each. It allocates only while all its
/// buffers are in use. With count 0 every buffer is an empty Values. Values may outlive
/// their pool.
class ValuePool {
 public:
  explicit ValuePool(std::size_t count);
  ~ValuePool();
  ValuePool(const ValuePool&) = delete;
  ValuePool& operator=(const ValuePool&) = delete;

  std::size_t count() const { return count_; }
  /// A buffer with undefined content and a single reference.
  Values take() {
    if (count_ == 0) return Values();
    if (free_ == nullptr) grow();
    std::int32_t* data = free_;
    free_ = next_free(data);
    if (free_ != nullptr) fetch_values(free_, count_);  // it may have left the cache
    Values values(data);
    values.footer() = {.references = 1, .verified_as = 0};
    ++taken_;
    return values;
  }
  /// Number of buffers in use.
  std::size_t taken() const { return taken_; }

 private:
  friend class Values;
  // A chunk of buffers is aligned to its own size and begins with a header that names the pool, so
  // a buffer's address is enough to find the pool. Since no buffer contains a pointer, 62 values
  // and their footer fill exactly four cache lines.
  struct ChunkHeader {
    ValuePool* pool;
    std::size_t count;  ///< number of values per buffer
  };
  static constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
  static constexpr std::size_t kChunkHeaderBytes = 64;
  static const ChunkHeader& header_of(const std::int32_t* data) {
    const auto offset = reinterpret_cast<std::uintptr_t>(data) % kChunkBytes;
    return *reinterpret_cast<const ChunkHeader*>(reinterpret_cast<const std::byte*>(data) - offset);
  }
  struct FreeChunk {
    void operator()(std::byte* chunk) const;
  };

  static std::int32_t*& next_free(std::int32_t* data) {
    return *reinterpret_cast<std::int32_t**>(data);
  }
  void grow();
  void give_back(std::int32_t* data) {
    next_free(data) = free_;
    free_ = data;
    if (--taken_ == 0 && is_orphaned_) [[unlikely]] {
      delete this;
    }
  }

  std::size_t count_;
  std::size_t stride_bytes_;
  std::size_t taken_ = 0;
  std::int32_t* free_ = nullptr;
  std::vector<std::unique_ptr<std::byte, FreeChunk>> chunks_;
  bool is_orphaned_ = false;  // whether its owner is gone; it lives on until its buffers are no
                              // longer in use
};

inline ValuePool& Values::pool() const { return *ValuePool::header_of(data_).pool; }

inline Values::Footer& Values::footer() const {
  return *reinterpret_cast<Footer*>(data_ + ValuePool::header_of(data_).count);
}

inline void Values::release() { pool().give_back(data_); }

inline std::size_t Values::size() const {
  return data_ == nullptr ? 0 : ValuePool::header_of(data_).count;
}

inline Values Values::into_unique() && {
  if (data_ == nullptr || unique()) return std::move(*this);
  Values copy = pool().take();
  std::copy_n(data_, size(), copy.data_);
  return copy;
}

}  // namespace ina
