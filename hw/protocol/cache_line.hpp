// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace ina {

/// Of the processors that this runs on.
inline constexpr std::size_t kCacheLineBytes = 64;

/// Brings all of an object into the cache, wherever it begins.
template <class Object>
void prefetch_object(const Object& object) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(&object);
  for (std::size_t at = 0; at < sizeof(Object); at += kCacheLineBytes) {
    __builtin_prefetch(bytes + at);
  }
  __builtin_prefetch(bytes + sizeof(Object) - 1);
}

}  // namespace ina
