// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace ina {

/// Of the processors that this runs on.
inline constexpr std::size_t kCacheLineBytes = 64;

/// Brings what stands between two places into the cache, wherever a line begins.
inline void prefetch_between(const void* begin, const void* end) {
  const auto* const last = static_cast<const std::byte*>(end) - 1;
  for (const auto* at = static_cast<const std::byte*>(begin); at < last; at += kCacheLineBytes) {
    __builtin_prefetch(at);
  }
  __builtin_prefetch(last);
}

/// Brings all of an object into the cache, wherever it begins.
template <class Object>
void prefetch_object(const Object& object) {
  prefetch_between(&object, &object + 1);
}

}  // namespace ina
