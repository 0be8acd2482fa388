// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/numeric/block_floating_point.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "hw/protocol/numeric/equal_sizes.hpp"
#include "hw/protocol/numeric/kernel.hpp"
#include "hw/protocol/numeric/scaled_rounding.hpp"

namespace ina::numeric {
namespace {

constexpr std::uint32_t max_workers = 65536;
constexpr std::int32_t infinity_bits = 0x7f800000;
// With more workers, a worker's share has fewer bits than the 24 of a mantissa. A value may then be
// rounded up to 2^31 / workers, which is too large by one.
constexpr std::uint32_t max_workers_of_whole_mantissas = 128;

// As integers, the bits of floats without their signs are ordered like their magnitudes.
INA_KERNEL std::int32_t largest_magnitude_bits(const float* values, std::size_t count) noexcept {
  std::int32_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::int32_t>(values[i]) & 0x7fffffff;
    largest = bits > largest ? bits : largest;
  }
  return largest;
}

double power_of_two(int exponent) {
  constexpr unsigned kMantissaBits = 52;
  constexpr int kBias = 1023;
  return std::bit_cast<double>(static_cast<std::uint64_t>(kBias + exponent) << kMantissaBits);
}

// Whether floats can be multiplied by `scale`, and integers by the inverse. Neither factor may be
// denormal.
bool is_factor_of_floats(double scale) {
  return scale <= 1 / double{std::numeric_limits<float>::min()};
}

}  // namespace

std::optional<ChunkExponent> chunk_exponent(std::span<const float> values) noexcept {
  const std::int32_t bits = largest_magnitude_bits(values.data(), values.size());
  if (bits >= infinity_bits) return std::nullopt;
  if (bits == 0) return zero_chunk;
  return static_cast<ChunkExponent>((bits >> 23) - 127);
}

double chunk_scale(ChunkExponent exponent, std::uint32_t workers) {
  if (workers == 0 || workers > max_workers) {
    throw std::invalid_argument("workers must be 1 ... 65536, found " + std::to_string(workers));
  }
  if (exponent == zero_chunk) return 0;
  // Every magnitude in the chunk is below 2^(exponent + 1), including denormals.
  return power_of_two(31 - static_cast<int>(std::bit_width(workers - 1)) - (exponent + 1));
}

QuantiseStatus quantise(std::span<const float> in, ChunkExponent exponent, std::uint32_t workers,
                        std::span<std::int32_t> out) {
  require_equal_sizes(in.size(), out.size());
  const double scale = chunk_scale(exponent, workers);
  if (workers <= max_workers_of_whole_mantissas && is_factor_of_floats(scale)) {
    const auto own = chunk_exponent(in);
    if (own && *own <= exponent) {  // no product is as large as 2^31 / workers
      scale_by_power_of_two_and_round(in.data(), static_cast<float>(scale), out.data(), in.size());
      return {};
    }
  }
  if (const auto index = first_non_finite(in)) return {.saturated = 0, .non_finite = index};
  if (exponent == zero_chunk) {
    std::ranges::fill(out, 0);
    const auto beyond = std::ranges::count_if(in, [](float value) { return value != 0; });
    return {.saturated = static_cast<std::size_t>(beyond), .non_finite = std::nullopt};
  }
  // The limit may be one unit below a power of two. A value that is rounded down to the limit does
  // not exceed the exponent. Only values that exceed the exponent are counted.
  const auto limit = std::floor(std::numeric_limits<std::int32_t>::max() / double(workers));
  std::size_t saturated = scale_and_round(in.data(), scale, -limit, limit, out.data(), in.size());
  if (saturated != 0) {
    const double bound = std::ldexp(1.0, exponent + 1);
    saturated = static_cast<std::size_t>(
        std::ranges::count_if(in, [bound](float value) { return std::abs(value) >= bound; }));
  }
  return {.saturated = saturated, .non_finite = std::nullopt};
}

void dequantise(std::span<const std::int32_t> sum, ChunkExponent exponent, std::uint32_t workers,
                std::span<float> out) {
  require_equal_sizes(sum.size(), out.size());
  const double scale = chunk_scale(exponent, workers);
  if (exponent == zero_chunk) {
    std::ranges::fill(out, 0.0F);
    return;
  }
  // Exact, because the factor is a power of two.
  if (is_factor_of_floats(scale)) {
    multiply_by_power_of_two(sum.data(), static_cast<float>(1 / scale), out.data(), sum.size());
  } else {
    multiply(sum.data(), 1 / scale, out.data(), sum.size());
  }
}

}  // namespace ina::numeric
