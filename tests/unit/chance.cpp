// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/faults/chance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ina::faults {
namespace {

constexpr std::uint64_t kSeed = 21;

TEST(Chance, OfZeroNeverComes) {
  std::mt19937_64 random(kSeed);
  EXPECT_EQ(Chance(0, 0, random).next(), Chance::kNever);
}

TEST(Chance, OfOneComesAtOnceAndEveryTime) {
  std::mt19937_64 random(kSeed);
  Chance chance(1, 7, random);
  for (std::uint64_t number = 7; number < 100; ++number) {
    EXPECT_TRUE(chance.happens_to(number, random)) << number;
  }
}

TEST(Chance, TooSmallForAnyRunNeverComesAndDoesNotOverflow) {
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(Chance(1e-300, 5, random).next(), Chance::kNever);
}

TEST(Chance, LeavesAloneTheFramesBeforeTheNext) {
  std::mt19937_64 random(kSeed);
  Chance chance(0.01, 0, random);
  const std::uint64_t next = chance.next();
  for (std::uint64_t number = 0; number < next; ++number) {
    EXPECT_FALSE(chance.happens_to(number, random));
  }
  EXPECT_TRUE(chance.happens_to(next, random));
  EXPECT_GT(chance.next(), next);
}

// P(n frames are spared) = p (1 - p)^n. Every count must be within five standard deviations.
TEST(Chance, SparesFramesByTheGeometricDistribution) {
  for (const double probability : {0.05, 0.5, 0.9}) {
    std::mt19937_64 random(kSeed);
    constexpr int kDraws = 200'000;
    std::vector<int> drawn(20);
    for (int i = 0; i < kDraws; ++i) {
      const std::uint64_t spared = Chance(probability, 0, random).next();
      if (spared < drawn.size()) ++drawn[spared];
    }
    for (std::size_t spared = 0; spared < drawn.size(); ++spared) {
      const double share = probability * std::pow(1 - probability, static_cast<double>(spared));
      const double mean = kDraws * share;
      EXPECT_NEAR(drawn[spared], mean, 5 * std::sqrt(mean * (1 - share)) + 1)
          << probability << ": " << spared << " spared";
    }
  }
}

}  // namespace
}  // namespace ina::faults
