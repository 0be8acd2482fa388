// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ina::wire {

/// Convert the values of a frame to and from network byte order. `bytes` has four bytes per value.
void to_big_endian(std::span<const std::int32_t> values, std::byte* bytes) noexcept;
void from_big_endian(const std::byte* bytes, std::span<std::int32_t> values) noexcept;

}  // namespace ina::wire
