// SPDX-License-Identifier: BSD-3-Clause
// Compares the conversions of hw/protocol/numeric with arithmetic without rounding, for every
// exponent, sign and kind of float.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "hw/protocol/numeric/block_floating_point.hpp"
#include "hw/protocol/numeric/fixed_point.hpp"
#include "hw/protocol/numeric/fp16.hpp"

namespace ina::numeric {
namespace {

using Floats = std::vector<float>;
using Integers = std::vector<std::int32_t>;
__extension__ using Wide = __int128;
constexpr std::int32_t highest = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t lowest = std::numeric_limits<std::int32_t>::min();

/// Both signs of every exponent, including denormals and zeros, with the mantissas at which
/// rounding changes and a few random ones.
Floats finite_floats(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Floats values;
  for (std::uint32_t exponent = 0; exponent < 255; ++exponent) {
    std::vector<std::uint32_t> mantissas{0, 1, 2, 0x3fffff, 0x400000, 0x400001, 0x7ffffe, 0x7fffff};
    for (int i = 0; i < 8; ++i) mantissas.push_back(random() & 0x7fffff);
    for (const std::uint32_t mantissa : mantissas) {
      values.push_back(std::bit_cast<float>(exponent << 23 | mantissa));
      values.push_back(-values.back());
    }
  }
  return values;
}

/// Infinities and NaNs, quiet and signalling, with every bit of the payload.
Floats non_finite_floats() {
  Floats values;
  for (const std::uint32_t sign : {0U, 0x80000000U}) {
    values.push_back(std::bit_cast<float>(sign | 0x7f800000U));
    values.push_back(std::bit_cast<float>(sign | 0x7fffffffU));
    for (int bit = 0; bit < 23; ++bit) {
      values.push_back(std::bit_cast<float>(sign | 0x7f800000U | 1U << bit));
    }
  }
  return values;
}

/// An exact product: value / 2^shift.
struct Product {
  Wide value;  ///< 0, or a magnitude of 2^104 to 2^106
  int shift;
};

Product product_of(double a, double b) {
  int exponent_a = 0;
  int exponent_b = 0;
  const auto x = static_cast<std::int64_t>(std::ldexp(std::frexp(a, &exponent_a), 53));
  const auto y = static_cast<std::int64_t>(std::ldexp(std::frexp(b, &exponent_b), 53));
  return {Wide{x} * y, 106 - exponent_a - exponent_b};
}

bool below_one_half(const Product& exact) { return exact.value == 0 || exact.shift > 107; }
bool beyond_40_bits(const Product& exact) { return exact.shift < 64; }

/// The nearest integer, ties to even. If it exceeds 40 bits, +-2^40.
std::int64_t rounded(const Product& exact) {
  if (below_one_half(exact)) return 0;
  if (beyond_40_bits(exact)) return exact.value < 0 ? -(1LL << 40) : 1LL << 40;
  const Wide unit = Wide{1} << exact.shift;
  const Wide floor = exact.value >> exact.shift;
  const Wide rest = exact.value - floor * unit;
  const bool up = rest > unit / 2 || (rest == unit / 2 && (floor & 1) != 0);
  return static_cast<std::int64_t>(floor + (up ? 1 : 0));
}

class EdgesOfFixedPoint : public testing::TestWithParam<double> {};

// The scales have at most 29 significant bits, so that the documented rounding is exact.
TEST_P(EdgesOfFixedPoint, EveryFloatBecomesTheNearestIntegerOrTheLimit) {
  constexpr std::uint64_t seed = 51;
  SCOPED_TRACE("seed " + std::to_string(seed));
  const Floats in = finite_floats(seed);
  Integers out(in.size());
  const QuantiseStatus status = quantise(in, GetParam(), out);
  std::size_t saturated = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::int64_t exact = rounded(product_of(in[i], GetParam()));
    const auto fitting = std::clamp<std::int64_t>(exact, lowest, highest);
    saturated += fitting != exact ? 1U : 0U;
    ASSERT_EQ(out[i], fitting) << in[i];
  }
  EXPECT_EQ(status.saturated, saturated);
  EXPECT_EQ(status.non_finite, std::nullopt);
}

TEST_P(EdgesOfFixedPoint, EveryIntegerComesBackWithinHalfAUnitOfTheFloatsLastPlace) {
  std::mt19937_64 random(52);
  Integers in{0, 1, -1, highest, highest - 1, lowest, lowest + 1, 1 << 24, (1 << 24) + 1};
  while (in.size() < 2000) in.push_back(static_cast<std::int32_t>(random()) >> random() % 31);
  Floats out(in.size());
  dequantise(in, GetParam(), out);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const long double exact = static_cast<long double>(in[i]) / GetParam();
    if (std::abs(exact) >= 0x1.ffffffp127L) {
      ASSERT_EQ(out[i], std::copysign(std::numeric_limits<float>::infinity(), exact)) << in[i];
      continue;
    }
    // The quotient is rounded to double before it is rounded to float.
    const int exponent = exact == 0 ? -126 : std::max(std::ilogb(exact), -126);
    const long double unit = std::ldexp(1.0L, exponent - 23);
    ASSERT_LE(std::abs(out[i] - exact), unit * (0.5L + 0x1p-29L)) << in[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Numeric, EdgesOfFixedPoint,
                         testing::Values(atp_scale, 1.0, 3.0, 1e6, 0x1p-100, 0x1p-149, 0x1.8p149,
                                         0x1p300, 0x1p1023, 0x1p-1000));

TEST(NumericEdges, AnyScaleRoundsWithinHalfAUnitAndTheStatedErrorOfTheProduct) {
  constexpr std::uint64_t seed = 53;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> mantissa(1, 2);
  for (int round = 0; round < 20'000; ++round) {
    const int exponent = static_cast<int>(random() % 250) - 125;
    const auto in = static_cast<float>(std::ldexp(mantissa(random), exponent));
    // Products from one quarter to 2^32.
    const double scale =
        std::ldexp(mantissa(random), static_cast<int>(random() % 33) - 2 - exponent);
    Integers out(1);
    const bool saturated = quantise(Floats{in}, scale, out).saturated != 0;
    const Product exact = product_of(in, scale);
    ASSERT_EQ(saturated, rounded(exact) > highest) << in << " * " << scale;
    if (saturated || below_one_half(exact)) continue;
    const Wide unit = Wide{1} << exact.shift;
    const Wide error = out[0] * unit - exact.value;
    ASSERT_LE(error < 0 ? -error : error, unit / 2 + (unit >> 22)) << in << " * " << scale;
  }
}

TEST(NumericEdges, EveryNanAndInfinityIsRefusedAtEveryPlace) {
  for (const float bad : non_finite_floats()) {
    for (const std::size_t place : {0U, 7U, 8U, 31U, 61U}) {
      Floats in(62, std::numeric_limits<float>::max());
      in[place] = bad;
      Integers out(62, -7);
      ASSERT_EQ(quantise(in, atp_scale, out).non_finite, place);
      ASSERT_EQ(quantise(in, ChunkExponent{127}, 8, out).non_finite, place);
      ASSERT_EQ(chunk_exponent(in), std::nullopt);
      ASSERT_EQ(out, Integers(62, -7));
    }
  }
}

TEST(NumericEdges, ExponentOfEveryFloatIsThatOfItsLeadingBit) {
  for (const float value : finite_floats(54)) {
    const int expected = value == 0 ? zero_chunk : std::max(std::ilogb(value), -127);
    ASSERT_EQ(chunk_exponent(Floats{0.0F, value, -0.0F}), expected) << value;
  }
}

// IEEE 754 binary16 by its definition.
double value_of_half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

TEST(NumericEdges, EveryFloatBecomesAHalfWithinHalfAUnitOrAnInfinityFrom65520On) {
  const Floats in = finite_floats(55);
  std::vector<std::uint16_t> out(in.size());
  const QuantiseStatus status = float_to_half(in, out);
  std::size_t infinite = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const bool negative = std::signbit(in[i]);
    ASSERT_EQ((out[i] & 0x8000) != 0, negative) << in[i];
    const double magnitude = std::abs(static_cast<double>(in[i]));
    if (magnitude >= 65520) {
      ++infinite;
      ASSERT_EQ(out[i] & 0x7fff, 0x7c00) << in[i];
      continue;
    }
    const double unit = magnitude < 0x1p-14 ? 0x1p-24 : std::ldexp(1, std::ilogb(magnitude) - 10);
    const double error = std::abs(std::abs(value_of_half(out[i])) - magnitude);
    ASSERT_LE(error, unit / 2) << in[i];
    ASSERT_TRUE(error < unit / 2 || out[i] % 2 == 0) << "a tie goes to the even half: " << in[i];
  }
  EXPECT_EQ(status.saturated, infinite);
  EXPECT_EQ(status.non_finite, std::nullopt);
}

TEST(NumericEdges, NansAndInfinitiesStayWhatTheyAreAsHalves) {
  const Floats in = non_finite_floats();
  std::vector<std::uint16_t> out(in.size());
  const QuantiseStatus status = float_to_half(in, out);
  EXPECT_EQ(status.non_finite, 0U);
  EXPECT_EQ(status.saturated, 0U);
  Floats back(in.size());
  half_to_float(out, back);
  for (std::size_t i = 0; i < in.size(); ++i) {
    ASSERT_EQ(std::isnan(back[i]), std::isnan(in[i])) << i;
    ASSERT_EQ(std::signbit(back[i]), std::signbit(in[i])) << i;
  }
}

}  // namespace
}  // namespace ina::numeric
