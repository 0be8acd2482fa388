// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace ina {

/// Of the processors that this runs on.
inline constexpr std::size_t kCacheLineBytes = 64;

}  // namespace ina
