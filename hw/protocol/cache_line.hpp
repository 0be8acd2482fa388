// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace ina {

/// Cache line size of the supported processors.
inline constexpr std::size_t kCacheLineBytes = 64;

/// Prefetches the cache line of an address for reading. The address may be invalid.
inline void fetch_line(const void* at) { __builtin_prefetch(at); }
/// Prefetches the cache line of an address for writing. The address may be invalid.
inline void fetch_line_to_write(const void* at) { __builtin_prefetch(at, 1); }

/// Prefetches all cache lines of the bytes from `begin` to before `end`, at least one byte.
inline void fetch_between(const void* begin, const void* end) {
  const auto* const last = static_cast<const std::byte*>(end) - 1;
  for (const auto* at = static_cast<const std::byte*>(begin); at < last; at += kCacheLineBytes) {
    fetch_line(at);
  }
  fetch_line(last);
}

}  // namespace ina
