// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>
#include <cstdint>
#include <string>
#include <string_view>

namespace ina::fields {

/// "1 frame", "2 frames": for nouns that take an s.
inline std::string counted(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace ina::fields
