// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace ina::wire {

/// Whether sequence number `a` precedes `b`. They must be less than 2^31 apart (RFC 1982).
constexpr bool is_before(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a - b) < 0;
}

}  // namespace ina::wire
