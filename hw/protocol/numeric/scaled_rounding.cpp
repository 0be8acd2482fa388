// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/numeric/scaled_rounding.hpp"

#include <bit>
#include <cmath>

#include "hw/protocol/numeric/kernel.hpp"

namespace ina::numeric {
namespace {

constexpr std::uint32_t exponent_bits = 0x7f800000;

INA_KERNEL bool has_non_finite(const float* values, std::size_t count) noexcept {
  std::uint32_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(values[i]);
    found |= (bits & exponent_bits) == exponent_bits ? ~0U : 0U;
  }
  return found != 0;
}

// Rounds to the nearest integer, ties to even, for |value| <= 2^31. After the addition the last bit
// of the mantissa has the value 1, so the processor has rounded. The low word of the double is the
// integer in two's complement. Unlike std::nearbyint, this function vectorises without SSE4.1.
INA_INLINE std::int32_t nearest_even(double value) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0x1.8p52);
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
}

}  // namespace

std::optional<std::size_t> first_non_finite(std::span<const float> values) noexcept {
  if (!has_non_finite(values.data(), values.size())) return std::nullopt;
  std::size_t index = 0;
  while (std::isfinite(values[index])) ++index;
  return index;
}

INA_KERNEL std::size_t scale_and_round(const float* in, double scale, double low, double high,
                                       std::int32_t* out, std::size_t count) noexcept {
  const double least = low - 0.5;
  const double most = high + 0.5;
  std::uint64_t beyond = 0;
  INA_INDEPENDENT
  for (std::size_t i = 0; i < count; ++i) {
    double value = static_cast<double>(in[i]) * scale;
    // At most one of the two is true; a branch would prevent vectorisation.
    beyond += std::uint64_t{value < least} + std::uint64_t{value >= most};
    value = value < low ? low : value;
    value = value > high ? high : value;
    out[i] = nearest_even(value);
  }
  return beyond;
}

INA_KERNEL void scale_by_power_of_two_and_round(const float* in, float scale, std::int32_t* out,
                                                std::size_t count) noexcept {
  INA_INDEPENDENT
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = static_cast<std::int32_t>(std::rint(in[i] * scale));
  }
}

INA_KERNEL void divide(const std::int32_t* in, double divisor, float* out,
                       std::size_t count) noexcept {
  INA_INDEPENDENT
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(in[i] / divisor);
}

INA_KERNEL void multiply(const std::int32_t* in, double factor, float* out,
                         std::size_t count) noexcept {
  INA_INDEPENDENT
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(in[i] * factor);
}

INA_KERNEL void multiply_by_power_of_two(const std::int32_t* in, float factor, float* out,
                                         std::size_t count) noexcept {
  INA_INDEPENDENT
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(in[i]) * factor;
}

}  // namespace ina::numeric
