// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <cstdlib>

namespace ina::fuzz {

/// Ends the program, for libFuzzer to keep the input, unless the property holds.
inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", property);
  std::abort();
}

}  // namespace ina::fuzz
