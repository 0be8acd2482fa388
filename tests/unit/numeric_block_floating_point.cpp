// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/protocol/numeric/block_floating_point.hpp"
#include "hw/protocol/numeric/saturating_add.hpp"

namespace ina::numeric {
namespace {

using Floats = std::vector<float>;
using Integers = std::vector<std::int32_t>;
using FloatLimits = std::numeric_limits<float>;

TEST(NumericBlockFloatingPoint, ExponentOfAChunkIsThatOfItsLargestMagnitude) {
  const auto exponent = [](const Floats& values) { return chunk_exponent(values); };
  EXPECT_EQ(exponent({1.0F}), 0);
  EXPECT_EQ(exponent({1.9999999F, -0.5F}), 0);
  EXPECT_EQ(exponent({0.1F, -2.0F, 1.0F}), 1);
  EXPECT_EQ(exponent({FloatLimits::max()}), 127);
  EXPECT_EQ(exponent({FloatLimits::lowest(), 0.0F}), 127);
  EXPECT_EQ(exponent({FloatLimits::min()}), -126);
  EXPECT_EQ(exponent({FloatLimits::denorm_min()}), -127);
  EXPECT_EQ(exponent({-std::nextafter(FloatLimits::min(), 0.0F)}), -127);
  EXPECT_EQ(exponent({0.0F, -0.0F}), zero_chunk);
  EXPECT_EQ(exponent({}), zero_chunk);
  EXPECT_EQ(exponent({1.0F, FloatLimits::quiet_NaN()}), std::nullopt);
  EXPECT_EQ(exponent({-FloatLimits::infinity(), 1.0F}), std::nullopt);
  EXPECT_LT(zero_chunk, -127);  // the maximum over workers then needs no special case
}

TEST(NumericBlockFloatingPoint, CodesAreOrderedAsExponentsAndAboveThemTheRanksOfWhoIsNotFinite) {
  EXPECT_EQ(exponent_code(zero_chunk, 3), 0);
  ExponentCode before = 0;
  for (int exponent = -127; exponent <= 127; ++exponent) {
    const auto chunk = static_cast<ChunkExponent>(exponent);
    const ExponentCode code = exponent_code(chunk, 3);
    ASSERT_GT(code, before);
    ASSERT_EQ(decode_exponent(code).exponent, chunk);
    before = code;
  }
  for (std::uint16_t rank = 0; rank < 300; ++rank) {
    const ExponentCode code = exponent_code(std::nullopt, rank);
    ASSERT_GT(code, before);
    ASSERT_EQ(decode_exponent(code).exponent, std::nullopt);
    ASSERT_EQ(decode_exponent(code).not_finite_of, rank);
    before = code;
  }
}

TEST(NumericBlockFloatingPoint, ExponentSeesTheLargestValueAtEveryPlace) {
  for (std::size_t count = 1; count <= 130; ++count) {
    for (std::size_t i = 0; i < count; ++i) {
      Floats values(count, 0.25F);
      values[i] = -5.0F;
      ASSERT_EQ(chunk_exponent(values), 2) << "count " << count << " index " << i;
    }
  }
}

TEST(NumericBlockFloatingPoint, ScaleIsThePowerOfTwoThatFillsTheRange) {
  EXPECT_EQ(chunk_scale(0, 1), 0x1p30);
  EXPECT_EQ(chunk_scale(0, 2), 0x1p29);
  EXPECT_EQ(chunk_scale(0, 3), 0x1p28);
  EXPECT_EQ(chunk_scale(0, 8), 0x1p27);
  EXPECT_EQ(chunk_scale(127, 1024), 0x1p-107);
  EXPECT_EQ(chunk_scale(-127, 1), 0x1p157);
  EXPECT_EQ(chunk_scale(zero_chunk, 8), 0);
}

TEST(NumericBlockFloatingPoint, RoundsTiesToEven) {
  // One worker, exponent 30: a unit is 1.
  Integers out(5);
  ASSERT_TRUE(quantise(Floats{0.5F, 1.5F, 2.5F, -2.5F, -3.5F}, 30, 1, out).ok());
  EXPECT_EQ(out, (Integers{0, 2, 2, -2, -4}));
}

// The whole procedure: exponents agreed by maximum, quantised by each worker, summed, converted
// back.
class AgreedChunk : public testing::TestWithParam<std::uint32_t> {};

TEST_P(AgreedChunk, SumNeverOverflowsAndKeepsTheErrorBound) {
  constexpr std::uint64_t seed = 31;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  constexpr std::size_t count = 32;
  const std::uint32_t workers = GetParam();
  // Magnitudes around 2^power; at -149 and -130 all values are denormal, at 128 up to FLT_MAX.
  for (const int power : {-149, -130, -126, -40, 0, 1, 100, 128}) {
    SCOPED_TRACE("power " + std::to_string(power));
    std::vector<Floats> chunks(workers, Floats(count));
    ChunkExponent agreed = zero_chunk;
    const auto largest = static_cast<float>(
        std::min(std::ldexp(1.0, power), static_cast<double>(FloatLimits::max())));
    std::uniform_real_distribution<double> any(-1, 1);
    for (Floats& chunk : chunks) {
      for (float& value : chunk) value = static_cast<float>(any(random) * largest);
      chunk[0] = std::nextafter(largest, 0.0F);  // just below a power of two
      chunk[1] = -chunk[0];
      chunk[2] = power == 128 ? FloatLimits::max() : largest;
      agreed = std::max(agreed, chunk_exponent(chunk).value());
    }
    std::vector<std::int64_t> wide(count, 0);
    std::vector<double> exact(count, 0);
    Integers sum(count, 0);
    for (const Floats& chunk : chunks) {
      Integers out(count);
      ASSERT_TRUE(quantise(chunk, agreed, workers, out).ok());
      add_wrapping(sum.data(), out.data(), count);
      for (std::size_t i = 0; i < count; ++i) {
        wide[i] += out[i];
        exact[i] += chunk[i];
      }
    }
    ASSERT_FALSE(any_saturated(sum));
    const double scale = chunk_scale(agreed, workers);
    Floats back(count);
    dequantise(sum, agreed, workers, back);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(wide[i], sum[i]) << "overflow at " << i;
      const double error = std::abs(sum[i] / scale - exact[i]);
      ASSERT_LE(error, workers / scale) << i;
      ASSERT_EQ(back[i], static_cast<float>(sum[i] / scale)) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Numeric, AgreedChunk,
                         testing::Values(1U, 2U, 3U, 5U, 8U, 64U, 127U, 128U, 129U, 256U, 1000U,
                                         1024U),
                         testing::PrintToStringParamName());

// A value that would round up to 2^31 / n must stay below it, because n of them would overflow.
TEST(NumericBlockFloatingPoint, ValueBelowAPowerOfTwoIsNotRoundedIntoOverflow) {
  constexpr std::uint32_t workers = 1024;
  const Floats in{std::nextafter(2.0F, 0.0F), -std::nextafter(2.0F, 0.0F)};
  Integers out(2);
  EXPECT_TRUE(quantise(in, 0, workers, out).ok());
  EXPECT_EQ(out, (Integers{(1 << 21) - 1, -(1 << 21) + 1}));
}

// Up to 128 workers the largest value of a chunk keeps all its bits.
TEST(NumericBlockFloatingPoint, RoundTripOfOneWorkersChunk) {
  constexpr std::uint64_t seed = 32;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> mantissa(1.0F, 2.0F);
  for (int exponent = -127; exponent <= 127; ++exponent) {
    Floats in(62);
    for (float& value : in) value = std::ldexp(mantissa(random), exponent);
    // uniform_real_distribution may round up to its end
    for (float& value : in) value = std::isfinite(value) ? value : FloatLimits::max();
    const ChunkExponent own = chunk_exponent(in).value();
    Integers out(in.size());
    ASSERT_TRUE(quantise(in, own, 128, out).ok()) << exponent;
    Floats back(in.size());
    dequantise(out, own, 128, back);
    if (own == exponent) {
      ASSERT_EQ(back, in) << "exponent " << exponent;
    }
  }
}

// The test computes in double. Results of exact float operations must be the same everywhere.
TEST(NumericBlockFloatingPoint, EveryExponentAndNumberOfWorkersRoundsTheExactProductsAndQuotients) {
  constexpr std::uint64_t seed = 33;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> mantissa(-2.0F, 2.0F);
  for (const std::uint32_t workers : {1U, 2U, 3U, 4U, 5U, 127U, 128U, 129U, 65536U}) {
    for (int exponent = -127; exponent <= 127; ++exponent) {
      SCOPED_TRACE(std::to_string(workers) + " workers, exponent " + std::to_string(exponent));
      Floats in(67);
      for (float& value : in) {
        const auto lower = static_cast<int>(random() % 34);
        const float drawn = std::ldexp(mantissa(random), exponent - lower);
        value = std::isfinite(drawn) ? drawn : FloatLimits::max();
      }
      const ChunkExponent agreed = std::max(chunk_exponent(in).value(), ChunkExponent(exponent));
      const double scale = chunk_scale(agreed, workers);
      const double limit = std::floor(0x7fffffff / static_cast<double>(workers));
      Integers out(in.size());
      ASSERT_TRUE(quantise(in, agreed, workers, out).ok());
      Integers sum(in.size());
      for (std::size_t i = 0; i < in.size(); ++i) {
        const double exact = std::clamp(std::nearbyint(in[i] * scale), -limit, limit);
        ASSERT_EQ(out[i], exact) << in[i];
        sum[i] = static_cast<std::int32_t>(random()) >> random() % 31;
      }
      Floats back(in.size());
      dequantise(sum, agreed, workers, back);
      for (std::size_t i = 0; i < in.size(); ++i) {
        ASSERT_EQ(back[i], static_cast<float>(sum[i] / scale)) << sum[i];
      }
    }
  }
}

TEST(NumericBlockFloatingPoint, DenormalsComeBackExactly) {
  const Floats in{FloatLimits::denorm_min(), -3 * FloatLimits::denorm_min(),
                  std::nextafter(FloatLimits::min(), 0.0F)};
  Integers out(in.size());
  ASSERT_TRUE(quantise(in, -127, 128, out).ok());
  Floats back(in.size());
  dequantise(out, -127, 128, back);
  EXPECT_EQ(back, in);
}

TEST(NumericBlockFloatingPoint, SumBeyondFltMaxIsInfinite) {
  Integers sum(1);
  const Floats in{FloatLimits::max()};
  ASSERT_TRUE(quantise(in, 127, 2, sum).ok());
  Floats back(1);
  dequantise(sum, 127, 2, back);
  EXPECT_EQ(back[0], FloatLimits::max());
  add_wrapping(sum.data(), sum.data(), 1);
  dequantise(sum, 127, 2, back);
  EXPECT_EQ(back[0], FloatLimits::infinity());
}

TEST(NumericBlockFloatingPoint, ZeroChunk) {
  Integers out(3, 9);
  EXPECT_TRUE(quantise(Floats{0.0F, -0.0F, 0.0F}, zero_chunk, 8, out).ok());
  EXPECT_EQ(out, (Integers{0, 0, 0}));
  out.assign(3, 9);
  EXPECT_EQ(quantise(Floats{0.0F, 1e-40F, -1.0F}, zero_chunk, 8, out).saturated, 2U);
  EXPECT_EQ(out, (Integers{0, 0, 0}));
  Floats back(3, 9.0F);
  dequantise(Integers{1, 2, 3}, zero_chunk, 8, back);
  EXPECT_EQ(back, (Floats{0, 0, 0}));
}

TEST(NumericBlockFloatingPoint, ValueBeyondTheAgreedExponentSaturatesAndIsCounted) {
  const Floats in{2.0F, -2.0F, FloatLimits::max(), 1.0F, -1.9999999F};
  for (const std::uint32_t workers : {1U, 3U, 8U, 1024U}) {
    Integers out(in.size());
    EXPECT_EQ(quantise(in, 0, workers, out).saturated, 3U) << workers;
    const std::int64_t limit = 0x7fffffff / workers;
    EXPECT_EQ(out[2], limit) << workers;
    for (const std::int32_t value : out) EXPECT_LE(std::abs(std::int64_t{value}), limit) << workers;
  }
}

TEST(NumericBlockFloatingPoint, RefusesNonFiniteValuesAndWritesNothing) {
  for (const float bad : {FloatLimits::quiet_NaN(), -FloatLimits::infinity()}) {
    for (const ChunkExponent exponent : {ChunkExponent{0}, zero_chunk}) {
      Integers out(4, 9);
      const QuantiseStatus status = quantise(Floats{100, 1, bad, bad}, exponent, 8, out);
      EXPECT_EQ(status.non_finite, 2U);
      EXPECT_EQ(status.saturated, 0U);
      EXPECT_EQ(out, Integers(4, 9));
    }
  }
}

TEST(NumericBlockFloatingPoint, RefusesImpossibleArguments) {
  Integers integers(3);
  Floats floats(3);
  EXPECT_THROW((void)chunk_scale(0, 0), std::invalid_argument);
  EXPECT_THROW((void)chunk_scale(0, 65537), std::invalid_argument);
  EXPECT_THROW((void)quantise(floats, 0, 0, integers), std::invalid_argument);
  EXPECT_THROW((void)quantise(Floats(2), 0, 1, integers), std::invalid_argument);
  EXPECT_THROW(dequantise(integers, 0, 0, floats), std::invalid_argument);
  EXPECT_THROW(dequantise(Integers(4), 0, 1, floats), std::invalid_argument);
}

}  // namespace
}  // namespace ina::numeric
