// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/numeric/fp16.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "hw/protocol/numeric/equal_sizes.hpp"

namespace ina::numeric {
namespace {

constexpr std::uint16_t sign_bit = 0x8000;
constexpr std::uint16_t infinity = 0x7c00;

void require_fraction(int bits) {
  if (bits < 0 || bits > max_half_fraction_bits) {
    throw std::invalid_argument("fraction_bits must be 0 ... 24, found " + std::to_string(bits));
  }
}

// value / 2^shift to the nearest integer, ties to even.
std::uint64_t shift_right_to_even(std::uint64_t value, int shift) {
  if (shift == 0) return value;
  const std::uint64_t odd = (value >> shift) & 1U;
  return (value + (std::uint64_t{1} << (shift - 1)) - 1 + odd) >> shift;
}

}  // namespace

QuantiseStatus float_to_half(std::span<const float> in, std::span<std::uint16_t> out) {
  require_equal_sizes(in.size(), out.size());
  QuantiseStatus status;
  for (std::size_t i = 0; i < in.size(); ++i) {
    out[i] = Eigen::numext::bit_cast<std::uint16_t>(Eigen::half(in[i]));
    if (!std::isfinite(in[i])) {
      if (!status.non_finite) status.non_finite = i;
    } else if ((out[i] & infinity) == infinity) {
      ++status.saturated;
    }
  }
  return status;
}

void half_to_float(std::span<const std::uint16_t> in, std::span<float> out) {
  require_equal_sizes(in.size(), out.size());
  std::ranges::transform(in, out.begin(), [](std::uint16_t bits) {
    return static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(bits));
  });
}

QuantiseStatus half_to_fixed(std::span<const std::uint16_t> in, int fraction_bits,
                             std::span<std::int32_t> out) {
  require_equal_sizes(in.size(), out.size());
  require_fraction(fraction_bits);
  const auto refused =
      std::ranges::find_if(in, [](std::uint16_t bits) { return (bits & infinity) == infinity; });
  QuantiseStatus status;
  if (refused != in.end()) {
    status.non_finite = static_cast<std::size_t>(refused - in.begin());
    return status;
  }
  for (std::size_t i = 0; i < in.size(); ++i) {
    // The exponent field selects the shift and whether the hidden bit is set. A switch reads both
    // from a table. At exponent fields 0 and 1, the unit of the significand is 2^-24.
    const int exponent = (in[i] >> 10) & 0x1f;
    const std::uint64_t significand = (in[i] & 0x3ffU) | (exponent != 0 ? 0x400U : 0U);
    const int shift = std::max(exponent, 1) - 25 + fraction_bits;
    const auto magnitude = static_cast<std::int64_t>(
        shift >= 0 ? significand << shift : shift_right_to_even(significand, -shift));
    const std::int64_t exact = (in[i] & sign_bit) != 0 ? -magnitude : magnitude;
    using Limits = std::numeric_limits<std::int32_t>;
    const auto fitting = std::clamp<std::int64_t>(exact, Limits::min(), Limits::max());
    status.saturated += fitting != exact ? 1U : 0U;
    out[i] = static_cast<std::int32_t>(fitting);
  }
  return status;
}

void fixed_to_half(std::span<const std::int32_t> in, int fraction_bits,
                   std::span<std::uint16_t> out) {
  require_equal_sizes(in.size(), out.size());
  require_fraction(fraction_bits);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::uint64_t magnitude = in[i] < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(in[i])
                                              : static_cast<std::uint64_t>(in[i]);
    if (magnitude == 0) {
      out[i] = 0;
      continue;
    }
    // The half's exponent field, 1 also for denormals; the last bit of the significand is 2^(field
    // - 25).
    const int field =
        std::max(static_cast<int>(std::bit_width(magnitude)) - 1 - fraction_bits + 15, 1);
    const int drop = field - 25 + fraction_bits;
    const std::uint64_t significand =
        drop >= 0 ? shift_right_to_even(magnitude, drop) : magnitude << -drop;
    // The hidden bit, and a carry from rounding, increment the exponent field correctly.
    const std::uint64_t bits = (static_cast<std::uint64_t>(field - 1) << 10) + significand;
    const auto half = static_cast<std::uint16_t>(std::min<std::uint64_t>(bits, infinity));
    out[i] = in[i] < 0 ? static_cast<std::uint16_t>(half | sign_bit) : half;
  }
}

}  // namespace ina::numeric
