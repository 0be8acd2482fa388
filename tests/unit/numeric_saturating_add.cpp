// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "hw/protocol/numeric/saturating_add.hpp"

namespace ina::numeric {
namespace {

constexpr std::int32_t highest = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t lowest = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t guard = 0x5afe5afe;
constexpr std::size_t max_count = 130;
constexpr std::size_t max_shift = 3;

std::int32_t clamped_sum(std::int32_t a, std::int32_t b) {
  const std::int64_t sum = std::int64_t{a} + b;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(sum, lowest, highest));
}
std::int32_t sticky_sum(std::int32_t a, std::int32_t b) {
  if (a == highest || a == lowest) return a;
  if (b == highest || b == lowest) return b;
  return clamped_sum(a, b);
}
std::int32_t wrapped_sum(std::int32_t a, std::int32_t b) {
  const std::int64_t sum = std::int64_t{a} + b;
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(sum)));
}

using AddInto = void (*)(std::int32_t*, const std::int32_t*, std::size_t) noexcept;
using AddTwo = void (*)(std::int32_t*, const std::int32_t*, const std::int32_t*,
                        std::size_t) noexcept;

struct Kernel {
  std::string name;
  AddInto into;
  AddTwo two;
  std::int32_t (*reference)(std::int32_t, std::int32_t);
};

// Values that hit every case often: the limits, their neighbours, small values and arbitrary ones.
std::int32_t draw(std::mt19937_64& random) {
  const auto bits = static_cast<std::int32_t>(random());
  switch (random() % 6) {
    case 0:
      return highest;
    case 1:
      return lowest;
    case 2:
      return highest - (bits & 3);
    case 3:
      return lowest + (bits & 3);
    case 4:
      return bits & 7;
    default:
      return bits;
  }
}

std::vector<std::int32_t> draw_many(std::mt19937_64& random, std::size_t count) {
  std::vector<std::int32_t> values(count);
  for (auto& value : values) value = draw(random);
  return values;
}

class AddKernels : public testing::TestWithParam<Kernel> {};

TEST_P(AddKernels, EqualTheScalarReferenceAtEveryCountAndShift) {
  constexpr std::uint64_t seed = 20240611;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const Kernel& kernel = GetParam();
  for (std::size_t count = 0; count <= max_count; ++count) {
    for (std::size_t shift = 0; shift <= max_shift; ++shift) {
      SCOPED_TRACE("count " + std::to_string(count) + " shift " + std::to_string(shift));
      const std::vector<std::int32_t> a = draw_many(random, count + shift);
      const std::vector<std::int32_t> b = draw_many(random, count + 1);
      std::vector<std::int32_t> expected(count);
      for (std::size_t i = 0; i < count; ++i) {
        expected[i] = kernel.reference(a[shift + i], b[i + 1]);
      }
      std::vector<std::int32_t> into(a);
      into.resize(shift + count + 8, guard);
      kernel.into(into.data() + shift, b.data() + 1, count);
      std::vector<std::int32_t> out(count + 16, guard);
      kernel.two(out.data() + 8, a.data() + shift, b.data() + 1, count);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(into[shift + i], expected[i]) << "in place, index " << i;
        ASSERT_EQ(out[8 + i], expected[i]) << "three arrays, index " << i;
      }
      ASSERT_TRUE(
          std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(shift), into.begin()))
          << "wrote before the array";
      ASSERT_EQ(std::count(into.end() - 8, into.end(), guard), 8) << "wrote after the array";
      ASSERT_EQ(std::count(out.begin(), out.begin() + 8, guard), 8) << "wrote before the output";
      ASSERT_EQ(std::count(out.end() - 8, out.end(), guard), 8) << "wrote after the output";
    }
  }
}

TEST_P(AddKernels, OutputMayBeEitherInputOrBothInputsTheSame) {
  constexpr std::uint64_t seed = 77;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const Kernel& kernel = GetParam();
  for (const std::size_t count : {1U, 7U, 8U, 9U, 62U, 64U, 130U}) {
    SCOPED_TRACE("count " + std::to_string(count));
    const auto a = draw_many(random, count);
    const auto b = draw_many(random, count);
    auto first = a;
    kernel.two(first.data(), first.data(), b.data(), count);
    auto second = b;
    kernel.two(second.data(), a.data(), second.data(), count);
    auto twice = a;
    kernel.into(twice.data(), twice.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(first[i], kernel.reference(a[i], b[i])) << i;
      ASSERT_EQ(second[i], kernel.reference(a[i], b[i])) << i;
      ASSERT_EQ(twice[i], kernel.reference(a[i], a[i])) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Numeric, AddKernels,
    testing::Values(Kernel{"saturating", add_saturating, add_saturating, clamped_sum},
                    Kernel{"sticky", add_sticky, add_sticky, sticky_sum},
                    Kernel{"wrapping", add_wrapping, add_wrapping, wrapped_sum}),
    [](const auto& tested) { return tested.param.name; });

TEST(NumericSaturatingAdd, PlainSumLeavesTheLimitAgainButStickySumDoesNot) {
  std::int32_t plain = highest - 1;
  std::int32_t sticky = plain;
  for (const std::int32_t value : {10, -5}) {
    add_saturating(&plain, &value, 1);
    add_sticky(&sticky, &value, 1);
  }
  EXPECT_EQ(plain, highest - 5);
  EXPECT_EQ(sticky, highest);
}

// ATP 3.8: the parameter server must see an overflow regardless of later additions.
TEST(NumericSaturatingAdd, StickySumShowsEveryOverflowOfItsPartialSums) {
  constexpr std::uint64_t seed = 991;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::int32_t> any(lowest, highest);
  int overflowed = 0;
  for (int round = 0; round < 2000; ++round) {
    std::int64_t exact = 0;
    std::int32_t sum = 0;
    bool left_range = false;
    for (int worker = 0; worker < 6; ++worker) {
      const std::int32_t value = any(random) / 3;
      exact += value;
      left_range = left_range || exact >= highest || exact <= lowest;
      add_sticky(&sum, &value, 1);
    }
    ASSERT_EQ(any_saturated({&sum, 1}), left_range) << "round " << round;
    if (!left_range) {
      ASSERT_EQ(sum, exact) << "round " << round;
    }
    overflowed += left_range ? 1 : 0;
  }
  EXPECT_GT(overflowed, 50);
  EXPECT_LT(overflowed, 1950);
}

TEST(NumericSaturatingAdd, AnySaturatedFindsEitherLimitAtEveryPlace) {
  for (std::size_t count = 0; count <= max_count; ++count) {
    SCOPED_TRACE("count " + std::to_string(count));
    // The limits just outside the span must be ignored.
    std::vector<std::int32_t> values(count + 2, highest - 1);
    values.front() = highest;
    values.back() = lowest;
    const std::span<std::int32_t> inner(values.data() + 1, count);
    for (std::size_t i = 0; i < count; i += 2) inner[i] = lowest + 1;
    ASSERT_FALSE(any_saturated(inner));
    for (std::size_t i = 0; i < count; ++i) {
      const std::int32_t old = inner[i];
      for (const std::int32_t limit : {highest, lowest}) {
        inner[i] = limit;
        ASSERT_TRUE(any_saturated(inner)) << "index " << i << " limit " << limit;
      }
      inner[i] = old;
    }
  }
}

TEST(NumericSaturatingAdd, EqualSeesOneBitAtEveryPlaceAndNothingOutside) {
  for (std::size_t count = 0; count <= max_count; ++count) {
    SCOPED_TRACE("count " + std::to_string(count));
    std::vector<std::int32_t> a(count + 2, 42);
    std::vector<std::int32_t> b(a);
    b.front() = 1;
    b.back() = 2;
    ASSERT_TRUE(equal(a.data() + 1, b.data() + 1, count));
    for (std::size_t i = 1; i <= count; ++i) {
      for (const std::int32_t bit : {1, lowest}) {
        b[i] ^= bit;
        ASSERT_FALSE(equal(a.data() + 1, b.data() + 1, count)) << "index " << i - 1;
        b[i] ^= bit;
      }
    }
  }
}

TEST(NumericSaturatingAdd, LargestMagnitudeSeesEveryPlaceAndNothingOutside) {
  for (std::size_t count = 1; count <= max_count; ++count) {
    SCOPED_TRACE("count " + std::to_string(count));
    std::vector<std::int32_t> values(count + 2, -3);
    values.front() = values.back() = lowest;
    const std::span<std::int32_t> inner(values.data() + 1, count);
    ASSERT_EQ(largest_magnitude(inner), 3U);
    for (auto& value : inner) {
      for (const std::int32_t largest : {4, -4, lowest + 1, lowest}) {
        value = largest;
        ASSERT_EQ(largest_magnitude(inner), std::abs(std::int64_t{largest}));
      }
      value = -3;
    }
  }
}

TEST(NumericSaturatingAdd, NothingToDoTakesNullPointers) {
  add_saturating(nullptr, nullptr, 0);
  add_sticky(nullptr, nullptr, 0);
  add_wrapping(nullptr, nullptr, nullptr, 0);
  EXPECT_TRUE(equal(nullptr, nullptr, 0));
  EXPECT_FALSE(any_saturated({}));
  EXPECT_EQ(largest_magnitude({}), 0U);
}

}  // namespace
}  // namespace ina::numeric
