// SPDX-License-Identifier: BSD-3-Clause
#include "hw/protocol/numeric/float_sum.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace ina::numeric {
namespace {

using Bits = std::vector<std::int32_t>;

std::int32_t bits_of(float value) { return std::bit_cast<std::int32_t>(value); }

float sum_of(const std::vector<float>& values) {
  std::vector<std::int32_t> bits(values.size());
  std::vector<const std::int32_t*> parts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    bits[i] = bits_of(values[i]);
    parts.push_back(&bits[i]);
  }
  std::int32_t out = 0;
  sum_floats(parts, &out, 1);
  return std::bit_cast<float>(out);
}

TEST(NumericFloatSum, IsRoundedOnceNotAtEveryAddition) {
  EXPECT_EQ(sum_of({0x1p24F, 1.F, 1.F}), 0x1p24F + 2);  // in float, each 1 would be lost
  EXPECT_EQ(sum_of({0x1.fffffep127F, 0x1.fffffep127F, -0x1.fffffep127F}), 0x1.fffffep127F);
  EXPECT_EQ(sum_of({0x1p-149F, 0x1p-149F}), 0x1p-148F);
}

TEST(NumericFloatSum, FollowsIeee754BeyondTheNumbers) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(sum_of({0x1p127F, 0x1p127F}), infinity);
  EXPECT_EQ(sum_of({-infinity, 1.F}), -infinity);
  EXPECT_TRUE(std::isnan(sum_of({infinity, -infinity})));
  EXPECT_TRUE(std::isnan(sum_of({1.F, std::numeric_limits<float>::quiet_NaN()})));
  EXPECT_EQ(bits_of(sum_of({-0.F, -0.F})), bits_of(-0.F));
}

TEST(NumericFloatSum, AddsEachValueOfTheParts) {
  Bits a{bits_of(1.F), bits_of(2.F), bits_of(3.F)};
  const Bits b{bits_of(0.5F), bits_of(-2.F), bits_of(0x1p30F)};
  const std::vector<const std::int32_t*> parts{a.data(), b.data()};
  sum_floats(parts, a.data(), 2);  // in place
  EXPECT_EQ(a, (Bits{bits_of(1.5F), bits_of(0.F), bits_of(3.F)}));
}

TEST(NumericFloatSum, StaysWithinItsBoundForAllExponents) {
  constexpr std::uint64_t seed = 4711;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> mantissa(-2, 2);
  for (int round = 0; round < 20000; ++round) {
    // With a spread of a few bits the sums cancel; with a large spread one part dominates.
    const int lowest = static_cast<int>(random() % 230) - 140;
    const int spread = static_cast<int>(1 + random() % (round % 2 == 0 ? 6 : 120));
    std::vector<float> values(1 + random() % 32);
    long double exact = 0;
    long double magnitude = 0;
    for (float& value : values) {
      const int exponent = std::min(lowest + static_cast<int>(random()) % spread, 120);
      value = std::ldexp(mantissa(random), exponent);
      exact += value;
      magnitude += std::abs(value);
    }
    const long double bound = 0x1p-24L * std::abs(exact) +
                              0x1p-53L * static_cast<long double>(values.size()) * magnitude +
                              0x1p-150L;
    ASSERT_LE(std::abs(sum_of(values) - exact), bound) << "round " << round;
  }
}

}  // namespace
}  // namespace ina::numeric
