// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace ina {

/// Cache line size of the supported processors.
inline constexpr std::size_t kCacheLineBytes = 64;

/// Fetches the line of an address into the cache, to be read. The address may be invalid.
inline void fetch_line(const void* at) { __builtin_prefetch(at); }
/// Fetches the line of an address into the cache, to be written.
inline void fetch_line_to_write(const void* at) { __builtin_prefetch(at, 1); }

/// Fetches all cache lines that contain bytes from `begin` (inclusive) to `end` (exclusive).
inline void fetch_between(const void* begin, const void* end) {
  const auto* const last = static_cast<const std::byte*>(end) - 1;
  for (const auto* at = static_cast<const std::byte*>(begin); at < last; at += kCacheLineBytes) {
    fetch_line(at);
  }
  fetch_line(last);
}

}  // namespace ina
