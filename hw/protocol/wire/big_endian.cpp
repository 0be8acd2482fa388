// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/wire/big_endian.hpp"

#include <boost/endian/conversion.hpp>
#include <cstring>

#include "hw/protocol/numeric/kernel.hpp"

namespace ina::wire {

namespace {

INA_KERNEL void store(const std::int32_t* values, std::byte* bytes, std::size_t count) noexcept {
  INA_INDEPENDENT
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t big = boost::endian::native_to_big(values[i]);
    std::memcpy(bytes + i * sizeof big, &big, sizeof big);
  }
}

INA_KERNEL void load(const std::byte* bytes, std::int32_t* values, std::size_t count) noexcept {
  INA_INDEPENDENT
  for (std::size_t i = 0; i < count; ++i) {
    std::int32_t big = 0;
    std::memcpy(&big, bytes + i * sizeof big, sizeof big);
    values[i] = boost::endian::big_to_native(big);
  }
}

}  // namespace

void to_big_endian(std::span<const std::int32_t> values, std::byte* bytes) noexcept {
  store(values.data(), bytes, values.size());
}

void from_big_endian(const std::byte* bytes, std::span<std::int32_t> values) noexcept {
  load(bytes, values.data(), values.size());
}

}  // namespace ina::wire
