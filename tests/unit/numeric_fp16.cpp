// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/protocol/numeric/fp16.hpp"

namespace ina::numeric {
namespace {

using Floats = std::vector<float>;
using Halves = std::vector<std::uint16_t>;
using Integers = std::vector<std::int32_t>;
using FloatLimits = std::numeric_limits<float>;

// IEEE 754 binary16, from its definition.
double value_of(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

bool finite(std::uint16_t bits) { return (bits & 0x7c00) != 0x7c00; }

// Finds the nearest half by searching all of them. Ties go to the even bit pattern.
std::uint16_t nearest(double value) {
  if (std::abs(value) >= 65520) return value < 0 ? 0xfc00 : 0x7c00;
  std::uint16_t best = 0;
  for (std::uint16_t bits = 0; bits < 0x7c00; ++bits) {
    const double now = std::abs(value_of(bits) - std::abs(value));
    const double before = std::abs(value_of(best) - std::abs(value));
    if (now < before || (now == before && bits % 2 == 0)) best = bits;
  }
  return value < 0 ? static_cast<std::uint16_t>(best | 0x8000) : best;
}

TEST(NumericFp16, EveryHalfIsReadByItsDefinitionAndComesBack) {
  Halves all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  Floats floats(all.size());
  half_to_float(all, floats);
  Halves back(all.size());
  const QuantiseStatus status = float_to_half(floats, back);
  EXPECT_EQ(status.saturated, 0U);
  EXPECT_EQ(status.non_finite, 0x7c00U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (finite(all[i])) {
      ASSERT_EQ(static_cast<double>(floats[i]), value_of(all[i])) << i;
      ASSERT_EQ(back[i], all[i]) << i;
    } else if ((all[i] & 0x3ff) == 0) {
      ASSERT_TRUE(std::isinf(floats[i])) << i;
      ASSERT_EQ(back[i], all[i]) << i;
    } else {
      ASSERT_TRUE(std::isnan(floats[i])) << i;
      ASSERT_FALSE(finite(back[i])) << i;
      ASSERT_NE(back[i] & 0x3ff, 0) << i;
    }
  }
}

TEST(NumericFp16, FloatsRoundToTheNearestHalfTiesToEven) {
  const Floats in{1.0F + 0x1p-11F, 1.0F + 0x3p-11F, -1.0F - 0x1p-11F,   0x1p-25F,
                  0x3p-25F,        65504.0F,        65519.996F,         65520.0F,
                  -1e30F,          1e-10F,          0x1p-25F + 0x1p-40F};
  Halves out(in.size());
  const QuantiseStatus status = float_to_half(in, out);
  EXPECT_EQ(out, (Halves{0x3c00, 0x3c02, 0xbc00, 0, 2, 0x7bff, 0x7bff, 0x7c00, 0xfc00, 0, 1}));
  EXPECT_EQ(status.saturated, 2U);
  EXPECT_FALSE(status.non_finite);
}

// With 15 fraction bits every finite half fits, and from 24 bits no half is rounded.
TEST(NumericFp16, SwitchTurnsEveryHalfIntoTheNearestFixedPoint) {
  Halves all;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    if (finite(static_cast<std::uint16_t>(bits))) all.push_back(static_cast<std::uint16_t>(bits));
  }
  for (const int fraction : {0, 1, 8, safe_half_fraction_bits, 20, max_half_fraction_bits}) {
    SCOPED_TRACE("fraction bits " + std::to_string(fraction));
    Integers out(all.size());
    const QuantiseStatus status = half_to_fixed(all, fraction, out);
    std::size_t saturated = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double exact = std::nearbyint(std::ldexp(value_of(all[i]), fraction));
      const double fitting = std::fmin(std::fmax(exact, -0x1p31), 0x1p31 - 1);
      saturated += fitting != exact ? 1U : 0U;
      ASSERT_EQ(out[i], fitting) << "half " << all[i];
    }
    EXPECT_EQ(status.saturated, saturated);
    EXPECT_EQ(saturated == 0, fraction <= safe_half_fraction_bits);
  }
}

TEST(NumericFp16, SwitchTurnsFixedPointIntoTheNearestHalf) {
  constexpr std::uint64_t seed = 41;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  Integers in{0, 1, -1, 2, 3, 2047, 2048, 2049, 2050, 2051, 4098, 4102, 1 << 30,
              std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min(),
              65504, 65519, 65520, -65520,
              // An intermediate float would round 2^30 + 2^19 + 1 to a tie, and the tie to even.
              (1 << 30) + (1 << 19) + 1};
  while (in.size() < 60) {
    in.push_back(static_cast<std::int32_t>(random()) >> (random() % 31));
  }
  for (const int fraction : {0, 8, safe_half_fraction_bits, max_half_fraction_bits}) {
    Halves out(in.size());
    fixed_to_half(in, fraction, out);
    for (std::size_t i = 0; i < in.size(); ++i) {
      ASSERT_EQ(out[i], nearest(std::ldexp(in[i], -fraction)))
          << "value " << in[i] << " fraction bits " << fraction;
    }
  }
}

TEST(NumericFp16, FixedPointRoundTripOfHalvesThatFit) {
  Halves in;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    if (finite(half) && std::abs(value_of(half)) < 128 && half != 0x8000) in.push_back(half);
  }
  Integers fixed(in.size());
  ASSERT_TRUE(half_to_fixed(in, max_half_fraction_bits, fixed).ok());
  Halves back(in.size());
  fixed_to_half(fixed, max_half_fraction_bits, back);
  EXPECT_EQ(back, in);
}

TEST(NumericFp16, RefusesNonFiniteHalvesAndImpossibleArguments) {
  for (const std::uint16_t bad : Halves{0x7c00, 0xfc00, 0x7e00}) {
    Integers out(3, 9);
    const QuantiseStatus status = half_to_fixed(Halves{0x3c00, bad, bad}, 15, out);
    EXPECT_EQ(status.non_finite, 1U);
    EXPECT_EQ(out, Integers(3, 9));
  }
  Floats floats(3);
  Halves halves(2);
  Integers integers(2);
  EXPECT_THROW(float_to_half(floats, halves), std::invalid_argument);
  EXPECT_THROW(half_to_float(halves, floats), std::invalid_argument);
  EXPECT_THROW((void)half_to_fixed(halves, -1, integers), std::invalid_argument);
  EXPECT_THROW((void)half_to_fixed(halves, 25, integers), std::invalid_argument);
  EXPECT_THROW((void)half_to_fixed(Halves(3), 1, integers), std::invalid_argument);
  EXPECT_THROW(fixed_to_half(integers, 25, halves), std::invalid_argument);
  EXPECT_THROW(fixed_to_half(Integers(3), 1, halves), std::invalid_argument);
}

}  // namespace
}  // namespace ina::numeric
