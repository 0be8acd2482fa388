// SPDX-License-Identifier: BSD-3-Clause
// Compares whole sums over 1 to 32 workers (converted, added as in the switch, converted back) with
// sums in wider arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "hw/protocol/numeric/block_floating_point.hpp"
#include "hw/protocol/numeric/fixed_point.hpp"
#include "hw/protocol/numeric/fp16.hpp"
#include "hw/protocol/numeric/saturating_add.hpp"
#include "hw/protocol/wire/limits.hpp"

namespace ina::numeric {
namespace {

using Floats = std::vector<float>;
using Integers = std::vector<std::int32_t>;
using Limits = std::numeric_limits<std::int32_t>;
using FloatLimits = std::numeric_limits<float>;

constexpr std::size_t kCount = 9;  // one more than a kernel processes at once

class SumOf : public testing::TestWithParam<std::uint32_t> {
 protected:
  static constexpr std::uint64_t kSeed = 61;
  const std::uint32_t workers_ = GetParam();
  std::mt19937_64 random_{kSeed + workers_};
  testing::ScopedTrace seed_{__FILE__, __LINE__, "seed " + std::to_string(kSeed + workers_)};

  /// A value of magnitude up to `bound`: the bound, the float below it, zero, the smallest
  /// denormal, or a value in between.
  float draw(float bound) {
    const float sign = (random_() & 1) != 0 ? -1.0F : 1.0F;
    switch (random_() % 6) {
      case 0:
        return sign * bound;
      case 1:
        return sign * std::nextafter(bound, 0.0F);
      case 2:
        return sign * 0.0F;
      case 3:
        return sign * std::min(bound, FloatLimits::denorm_min());
      case 4:
        return sign * std::ldexp(bound, -static_cast<int>(random_() % 40));
      default:
        return std::uniform_real_distribution<float>(-1, 1)(random_) * bound;
    }
  }

  /// One chunk per worker. Each begins with bound and -bound, so that the first two sums are large.
  std::vector<Floats> draw_chunks(float bound) {
    std::vector<Floats> chunks(workers_, Floats(kCount));
    for (Floats& chunk : chunks) {
      for (float& value : chunk) value = draw(bound);
      chunk[0] = bound;
      chunk[1] = -bound;
    }
    return chunks;
  }
};

/// Sums of the same chunks: in int32 as in the switch, in 64 bits, and without conversion.
struct Sums {
  Integers switched = Integers(kCount, 0);
  std::vector<std::int64_t> wide = std::vector<std::int64_t>(kCount, 0);
  std::vector<long double> exact = std::vector<long double>(kCount, 0);

  void add(const Floats& chunk, const Integers& converted) {
    add_wrapping(switched.data(), converted.data(), kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      wide[i] += converted[i];
      exact[i] += chunk[i];
    }
  }
};

// SwitchML, arXiv v1, appendix C: theorem 1 bounds the error, theorem 2 excludes overflow.
TEST_P(SumOf, KeepsTheoremsOneAndTwoAtEveryExponentOfTheBound) {
  for (int power = -149; power <= 127; ++power) {
    SCOPED_TRACE("power " + std::to_string(power));
    const float bound = std::min(
        std::ldexp(1.0F + 0.1F * static_cast<float>(random_() % 10), power), FloatLimits::max());
    const double scale = switchml_scale(workers_, bound);
    Sums sums;
    for (const Floats& chunk : draw_chunks(bound)) {
      Integers out(kCount);
      ASSERT_TRUE(quantise(chunk, scale, out).ok());
      sums.add(chunk, out);
    }
    for (std::size_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(sums.switched[i], sums.wide[i]) << "overflow at " << i;
      const long double error = sums.switched[i] / static_cast<long double>(scale) - sums.exact[i];
      ASSERT_LE(std::abs(error), error_bound(workers_, scale) * (0.5L + 0x1p-22L)) << i;
    }
  }
}

TEST_P(SumOf, IsInRangeBelowTheOverflowBoundOfAnyScale) {
  for (int power = -90; power <= 150; ++power) {
    const double scale = std::ldexp(1.0 + 0.1 * static_cast<double>(random_() % 10), power);
    const auto bound = static_cast<float>(overflow_bound(workers_, scale) * (1 - 0x1p-24));
    Sums sums;
    for (const Floats& chunk : draw_chunks(bound)) {
      Integers out(kCount);
      ASSERT_TRUE(quantise(chunk, scale, out).ok()) << scale;
      sums.add(chunk, out);
    }
    ASSERT_TRUE(std::equal(sums.wide.begin(), sums.wide.end(), sums.switched.begin())) << scale;
  }
}

TEST_P(SumOf, BlocksOfEveryExponentFitAndAreExactToHalfAUnitAWorker) {
  for (int power = -149; power <= 127; ++power) {
    SCOPED_TRACE("power " + std::to_string(power));
    const float bound = std::nextafter(std::ldexp(1.0F, power) * 2, 0.0F);
    auto chunks = draw_chunks(std::min(bound, FloatLimits::max()));
    // Neither chunks of zeros nor a single denormal affect the exponent.
    if (workers_ > 1) chunks[1].assign(kCount, -0.0F);
    if (workers_ > 2) chunks[2].assign(kCount, 0.0F);
    if (workers_ > 2) chunks[2].back() = -FloatLimits::denorm_min();
    ChunkExponent agreed = zero_chunk;
    for (const Floats& chunk : chunks) agreed = std::max(agreed, chunk_exponent(chunk).value());
    ASSERT_EQ(agreed, std::max(power, -127));
    Sums sums;
    for (const Floats& chunk : chunks) {
      Integers out(kCount);
      ASSERT_TRUE(quantise(chunk, agreed, workers_, out).ok());
      sums.add(chunk, out);
    }
    const double scale = chunk_scale(agreed, workers_);
    Floats back(kCount);
    dequantise(sums.switched, agreed, workers_, back);
    ASSERT_TRUE(workers_ == 1 || !any_saturated(sums.switched));
    for (std::size_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(sums.switched[i], sums.wide[i]) << "overflow at " << i;
      const long double sum = sums.switched[i] / static_cast<long double>(scale);
      ASSERT_LE(std::abs(sum - sums.exact[i]), workers_ / (2 * scale)) << i;
      ASSERT_EQ(back[i], static_cast<float>(sum)) << i;
    }
  }
}

TEST_P(SumOf, BlocksOfZerosAreZero) {
  Integers sum(kCount, 0);
  for (std::uint32_t worker = 0; worker < workers_; ++worker) {
    Floats chunk(kCount, worker % 2 == 0 ? 0.0F : -0.0F);
    ASSERT_EQ(chunk_exponent(chunk), zero_chunk);
    Integers out(kCount, 9);
    ASSERT_TRUE(quantise(chunk, zero_chunk, workers_, out).ok());
    add_wrapping(sum.data(), out.data(), kCount);
  }
  Floats back(kCount, 9.0F);
  dequantise(sum, zero_chunk, workers_, back);
  EXPECT_EQ(back, Floats(kCount, 0.0F));
}

std::vector<std::uint16_t> halves_of(const Floats& values) {
  std::vector<std::uint16_t> halves(values.size());
  EXPECT_TRUE(float_to_half(values, halves).ok());
  return halves;
}

// With all 24 fraction bits the switch's sum is exact: the only rounding is from the sum to half
// precision.
TEST_P(SumOf, HalvesAreTheHalfNearestToTheExactSum) {
  constexpr int kFraction = max_half_fraction_bits;
  for (int power = -24; power <= 0; ++power) {
    // n * 2^24 * magnitude < 2^31
    const float bound = std::ldexp(127.0F / static_cast<float>(workers_), power);
    Integers sum(kCount, 0);
    std::vector<double> exact(kCount, 0);
    for (const Floats& chunk : draw_chunks(bound)) {
      const auto halves = halves_of(chunk);
      Integers fixed(kCount);
      ASSERT_TRUE(half_to_fixed(halves, kFraction, fixed).ok());
      add_saturating(sum.data(), fixed.data(), kCount);
      Floats carried(kCount);
      half_to_float(halves, carried);
      for (std::size_t i = 0; i < kCount; ++i) exact[i] += carried[i];
    }
    std::vector<std::uint16_t> out(kCount);
    fixed_to_half(sum, kFraction, out);
    Floats back(kCount);
    half_to_float(out, back);
    for (std::size_t i = 0; i < kCount; ++i) {
      const int exponent = exact[i] == 0 ? -14 : std::max(std::ilogb(exact[i]), -14);
      const double unit = std::ldexp(1, exponent - 10);
      const double error = std::abs(back[i] - exact[i]);
      ASSERT_LE(error, unit / 2) << i;
      ASSERT_TRUE(error < unit / 2 || out[i] % 2 == 0) << "a tie goes to the even half, " << i;
    }
  }
}

TEST_P(SumOf, HalvesOfEverySizeSaturateWithTheSafeFractionAndAreSeen) {
  Integers sum(kCount, 0);
  std::vector<std::int64_t> wide(kCount, 0);
  for (const Floats& chunk : draw_chunks(65504.0F)) {
    Integers fixed(kCount);
    ASSERT_TRUE(half_to_fixed(halves_of(chunk), safe_half_fraction_bits, fixed).ok());
    add_sticky(sum.data(), fixed.data(), kCount);
    for (std::size_t i = 0; i < kCount; ++i) wide[i] += fixed[i];
  }
  for (std::size_t i = 0; i < 2; ++i) {  // the sum of every worker's bound
    ASSERT_EQ(sum[i], std::clamp<std::int64_t>(wide[i], Limits::min(), Limits::max()));
    ASSERT_EQ(any_saturated({&sum[i], 1}), workers_ > 1);
  }
}

/// A partial aggregate. Partial aggregates merge in any order, as in two levels of switches.
/// `left_range`: whether an exact partial sum was at a limit or beyond.
struct Merged {
  std::int32_t sum;
  std::int64_t exact;
  bool left_range;
};

Merged merge(std::vector<Merged> parts, std::mt19937_64& random) {
  while (parts.size() > 1) {
    std::shuffle(parts.begin(), parts.end(), random);
    const Merged last = parts.back();
    parts.pop_back();
    Merged& into = parts.back();
    add_sticky(&into.sum, &last.sum, 1);
    into.exact += last.exact;
    into.left_range = into.left_range || last.left_range || into.exact >= Limits::max() ||
                      into.exact <= Limits::min();
  }
  return parts.front();
}

// ATP 3.8. Contributions themselves may be at a limit.
TEST_P(SumOf, StickyIsExactOrAtALimitInWhateverOrderItMerges) {
  int overflowed = 0;
  constexpr int kRounds = 500;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Merged> parts;
    const auto divisor = static_cast<std::int64_t>(1 + random_() % (2 * workers_));
    for (std::uint32_t worker = 0; worker < workers_; ++worker) {
      const auto any = static_cast<std::int32_t>(random_());
      const bool limit = random_() % 200 == 0;
      const auto value = limit ? (any < 0 ? Limits::min() : Limits::max())
                               : static_cast<std::int32_t>(any / divisor);
      parts.push_back({value, value, value == Limits::max() || value == Limits::min()});
    }
    const Merged all = merge(parts, random_);
    ASSERT_EQ(any_saturated({&all.sum, 1}), all.left_range) << "round " << round;
    if (!all.left_range) {
      ASSERT_EQ(all.sum, all.exact) << "round " << round;
    }
    overflowed += all.left_range ? 1 : 0;
  }
  EXPECT_LT(overflowed, kRounds);
  EXPECT_TRUE(overflowed > 0 || workers_ == 1);
}

INSTANTIATE_TEST_SUITE_P(Numeric, SumOf,
                         testing::Range(1U, std::uint32_t{wire::kMaxWorkersPerSwitch} + 1),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace ina::numeric
