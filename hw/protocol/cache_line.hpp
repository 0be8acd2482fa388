// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace ina {

/// Of the processors that this runs on.
inline constexpr std::size_t kCacheLineBytes = 64;

/// Brings what stands from `begin` on, before `end`, into the cache, wherever a line begins.
inline void prefetch_between(const void* begin, const void* end) {
  const auto* const last = static_cast<const std::byte*>(end) - 1;
  for (const auto* at = static_cast<const std::byte*>(begin); at < last; at += kCacheLineBytes) {
    __builtin_prefetch(at);
  }
  __builtin_prefetch(last);
}

}  // namespace ina
