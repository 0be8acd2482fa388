// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <cstdlib>

namespace ina::fuzz {

/// Aborts unless the property holds, so that libFuzzer keeps the input.
inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", property);
  std::abort();
}

}  // namespace ina::fuzz
