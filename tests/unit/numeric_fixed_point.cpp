// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/protocol/numeric/fixed_point.hpp"
#include "hw/protocol/numeric/saturating_add.hpp"

namespace ina::numeric {
namespace {

using Floats = std::vector<float>;
using Integers = std::vector<std::int32_t>;
constexpr std::int32_t highest = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t lowest = std::numeric_limits<std::int32_t>::min();

Integers quantised(const Floats& values, double scale) {
  Integers out(values.size());
  EXPECT_TRUE(quantise(values, scale, out).ok());
  return out;
}

TEST(NumericFixedPoint, TheExampleOfSwitchMlAppendixC) {
  EXPECT_EQ(quantised({1.56F, 4.23F}, 100), (Integers{156, 423}));
  EXPECT_EQ(quantised({1.56F, 4.23F}, 10), (Integers{16, 42}));
  Floats out(1);
  dequantise(Integers{579}, 100, out);
  EXPECT_EQ(out[0], 5.79F);
}

TEST(NumericFixedPoint, TiesGoToTheEvenNeighbour) {
  EXPECT_EQ(quantised({0.5F, 1.5F, 2.5F, 3.5F, -0.5F, -1.5F, -2.5F, 0.49999997F, 0.50000006F}, 1),
            (Integers{0, 2, 2, 4, 0, -2, -2, 0, 1}));
  // 2^-9 * 1e8 = 195312.5 exactly: a tie at ATP's scale.
  EXPECT_EQ(quantised({0x1p-9F, 0x3p-9F, -0x1p-9F}, atp_scale),
            (Integers{195312, 585938, -195312}));
}

// In float the product would be a multiple of 128 here.
TEST(NumericFixedPoint, LargeProductsAreExactToTheUnit) {
  EXPECT_EQ(quantised({20.000002F}, atp_scale)[0],
            std::llrint(static_cast<double>(20.000002F) * 1e8));
  EXPECT_NE(quantised({20.000002F}, atp_scale)[0] % 128, 0);
}

TEST(NumericFixedPoint, SaturatesAndCounts) {
  const Floats in{21.474836F,
                  21.474838F,
                  -21.474836F,
                  -21.474838F,
                  std::numeric_limits<float>::max(),
                  std::numeric_limits<float>::lowest(),
                  0.0F};
  Integers out(in.size());
  const QuantiseStatus status = quantise(in, atp_scale, out);
  EXPECT_EQ(status.saturated, 4U);
  EXPECT_FALSE(status.non_finite);
  EXPECT_FALSE(status.ok());
  EXPECT_LT(out[0], highest);
  EXPECT_EQ(out[1], highest);
  EXPECT_GT(out[2], lowest);
  EXPECT_EQ(out[3], lowest);
  EXPECT_EQ(out[4], highest);
  EXPECT_EQ(out[5], lowest);
  EXPECT_EQ(out[6], 0);
}

TEST(NumericFixedPoint, TheLimitsThemselvesAreInRange) {
  Integers out(2);
  const QuantiseStatus status = quantise(Floats{-0x1p31F, 0x1p31F}, 1, out);
  EXPECT_EQ(out, (Integers{lowest, highest}));
  EXPECT_EQ(status.saturated, 1U);  // 2^31 only
}

TEST(NumericFixedPoint, RefusesNonFiniteValuesAtEveryPlaceAndWritesNothing) {
  const float bad[] = {std::numeric_limits<float>::quiet_NaN(),
                       std::numeric_limits<float>::infinity(),
                       -std::numeric_limits<float>::infinity()};
  for (std::size_t i = 0; i < 62; ++i) {
    Floats in(62, 1.0F);
    in[i] = bad[i % 3];
    in[61] = bad[0];
    Integers out(62, -7);
    const QuantiseStatus status = quantise(in, atp_scale, out);
    ASSERT_EQ(status.non_finite, i);
    ASSERT_EQ(status.saturated, 0U);
    ASSERT_FALSE(status.ok());
    ASSERT_EQ(out, Integers(62, -7));
  }
}

TEST(NumericFixedPoint, DenormalsAreOrdinaryValues) {
  const float smallest = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(quantised({smallest, -smallest, -0.0F}, atp_scale), (Integers{0, 0, 0}));
  EXPECT_EQ(quantised({smallest, 5 * smallest}, 0x1p149), (Integers{1, 5}));
  Floats out(2);
  dequantise(Integers{1, -5}, 0x1p149, out);
  EXPECT_EQ(out, (Floats{smallest, -5 * smallest}));
}

TEST(NumericFixedPoint, EveryCountIsConvertedAsByTheScalarRule) {
  constexpr std::uint64_t seed = 5;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> any(-25.0F, 25.0F);  // some saturate
  for (std::size_t count = 0; count <= 130; ++count) {
    Floats in(count);
    for (float& value : in) value = any(random);
    Integers out(count);
    const QuantiseStatus status = quantise(in, atp_scale, out);
    Floats back(count);
    dequantise(out, atp_scale, back);
    std::size_t saturated = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double product = static_cast<double>(in[i]) * 1e8;
      const bool fits = product <= highest && product >= lowest;
      saturated += fits ? 0U : 1U;
      const std::int32_t expected = fits ? static_cast<std::int32_t>(std::nearbyint(product))
                                         : (product > 0 ? highest : lowest);
      ASSERT_EQ(out[i], expected) << "count " << count << " index " << i;
      ASSERT_EQ(back[i], static_cast<float>(expected / 1e8));
    }
    ASSERT_EQ(status.saturated, saturated) << "count " << count;
  }
}

// An integer that fits into a float must survive the conversion to float and back.
TEST(NumericFixedPoint, RoundTripOfIntegersOf23Bits) {
  constexpr std::uint64_t seed = 6;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::int32_t> any(-(1 << 23), 1 << 23);
  for (const double scale : {1.0, 1e8, 12345.678, switchml_scale(8, 29.24)}) {
    Integers in(1000);
    for (auto& value : in) value = any(random);
    Floats floats(in.size());
    dequantise(in, scale, floats);
    EXPECT_EQ(quantised(floats, scale), in) << "scale " << scale;
  }
}

// Theorems 1 and 2 of SwitchML (arXiv v1, appendix C), including values on the bound.
TEST(NumericFixedPoint, SumKeepsTheoremsOneAndTwo) {
  constexpr std::uint64_t seed = 7;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  constexpr std::size_t count = 62;
  for (const std::uint32_t workers : {1U, 2U, 3U, 8U, 64U, 100U, 1000U}) {
    for (const float bound : {1e-6F, 0.2F, 29.24F, 1e9F}) {
      SCOPED_TRACE("workers " + std::to_string(workers) + " bound " + std::to_string(bound));
      const double scale = switchml_scale(workers, bound);
      std::uniform_real_distribution<float> any(-bound, bound);
      std::vector<double> exact(count, 0);
      std::vector<std::int64_t> wide(count, 0);
      Integers sum(count, 0);
      for (std::uint32_t worker = 0; worker < workers; ++worker) {
        Floats in(count);
        for (float& value : in) value = any(random);
        in[0] = bound;
        in[1] = -bound;
        const Integers out = quantised(in, scale);
        add_wrapping(sum.data(), out.data(), count);
        for (std::size_t i = 0; i < count; ++i) {
          exact[i] += in[i];
          wide[i] += out[i];
        }
      }
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(wide[i], sum[i]) << "overflow at " << i;
        ASSERT_LE(std::abs(static_cast<double>(sum[i]) / scale - exact[i]),
                  error_bound(workers, scale) * (0.5 + 0x1p-20) + 1e-12 * std::abs(exact[i]));
      }
      // The scale is as large as possible: the sum of the bounds uses the range.
      ASSERT_GT(sum[0], highest - 2 * static_cast<std::int64_t>(workers) - 2);
    }
  }
}

TEST(NumericFixedPoint, ScaleAndBoundsHoldThePapersNumbers) {
  EXPECT_NEAR(switchml_scale(100, 200), 1e5, 1e4);         // ATP B.1: "~ 10^5"
  EXPECT_NEAR(overflow_bound(100, atp_scale), 0.2, 0.02);  // ATP B.2: "the value of B is 0.2"
  EXPECT_DOUBLE_EQ(switchml_scale(8, overflow_bound(8, 1e6)), 1e6);
  EXPECT_DOUBLE_EQ(switchml_scale(4, 2.0), (0x1p31 - 4) / 8);
  EXPECT_DOUBLE_EQ(error_bound(8, 1e8), 8e-8);
}

TEST(NumericFixedPoint, RefusesImpossibleArguments) {
  Integers integers(3);
  Floats floats(3);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double scale : {0.0, -1.0, nan, infinite}) {
    EXPECT_THROW((void)quantise(floats, scale, integers), std::invalid_argument) << scale;
    EXPECT_THROW(dequantise(integers, scale, floats), std::invalid_argument) << scale;
    EXPECT_THROW((void)switchml_scale(8, scale), std::invalid_argument) << scale;
    EXPECT_THROW((void)overflow_bound(8, scale), std::invalid_argument) << scale;
    EXPECT_THROW((void)error_bound(8, scale), std::invalid_argument) << scale;
  }
  EXPECT_THROW((void)switchml_scale(0, 1), std::invalid_argument);
  EXPECT_THROW((void)switchml_scale(0x80000000U, 1), std::invalid_argument);
  EXPECT_THROW((void)switchml_scale(1, 1e-320), std::invalid_argument);
  EXPECT_THROW((void)error_bound(0, 1), std::invalid_argument);
  EXPECT_THROW((void)quantise(Floats(2), 1, integers), std::invalid_argument);
  EXPECT_THROW(dequantise(Integers(4), 1, floats), std::invalid_argument);
}

}  // namespace
}  // namespace ina::numeric
