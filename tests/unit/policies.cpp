// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "switch-models/policies/all.hpp"

namespace ina::policies {
namespace {

template <class Policy>
class EveryPolicy : public ::testing::Test {};
using AllTypes = boost::mp11::mp_rename<All, ::testing::Types>;
TYPED_TEST_SUITE(EveryPolicy, AllTypes);

TYPED_TEST(EveryPolicy, IsFoundByItsName) {
  EXPECT_EQ(name_of(kPolicy<TypeParam>), TypeParam::kName);
  EXPECT_THAT(policy_names(), ::testing::Contains(TypeParam::kName).Times(1));
  EXPECT_THAT(every_policy(), ::testing::Contains(kPolicy<TypeParam>).Times(1));
  EXPECT_TRUE(with_policy(kPolicy<TypeParam>, 0,
                          [](auto policy) { return std::is_same_v<decltype(policy), TypeParam>; }));
}

TYPED_TEST(EveryPolicy, TellsWhatItNeedsAndWhetherItDraws) {
  EXPECT_EQ(needs_of(kPolicy<TypeParam>).comparisons, TypeParam::kComparisons);
  EXPECT_EQ(needs_of(kPolicy<TypeParam>).expires, kNeverPreempts<TypeParam>);
  EXPECT_EQ(draws(kPolicy<TypeParam>), kDraws<TypeParam>);
}

TYPED_TEST(EveryPolicy, HasNoStateButWhatItDrawsFrom) {
  EXPECT_TRUE(std::is_empty_v<TypeParam> || kDraws<TypeParam>);
}

TYPED_TEST(EveryPolicy, DecidesForThePacketThatPreemptsAndNeverIfItSaysSo) {
  for (const int aggregator : {0, 1, 7, 255, 65535}) {
    for (const int packet : {0, 1, 7, 255, 65535}) {
      const auto priority = static_cast<std::uint16_t>(packet);
      const Decision decision = with_policy(kPolicy<TypeParam>, 3, [&](auto policy) {
        return policy.collide(static_cast<std::uint16_t>(aggregator), priority);
      });
      if (!decision.preempt) continue;
      EXPECT_FALSE(kNeverPreempts<TypeParam>);
      EXPECT_EQ(decision.aggregator_priority, priority);
    }
  }
}

TEST(Policies, FcfsKeepsWhoCameFirst) {
  const auto decision = Fcfs().collide(1, 65535);
  EXPECT_FALSE(decision.preempt);
  EXPECT_EQ(decision.aggregator_priority, 1);
}

TEST(Policies, AlwaysPreemptTakesEveryAggregator) {
  const auto decision = AlwaysPreempt().collide(65535, 1);
  EXPECT_TRUE(decision.preempt);
  EXPECT_EQ(decision.aggregator_priority, 1);
}

TEST(Policies, PriorityTieDoesNotPreempt) {
  Priority policy;
  EXPECT_TRUE(policy.collide(7, 8).preempt);
  EXPECT_EQ(policy.collide(7, 8).aggregator_priority, 8);
  EXPECT_FALSE(policy.collide(8, 8).preempt);
  EXPECT_EQ(policy.collide(8, 8).aggregator_priority, 4);
  EXPECT_FALSE(policy.collide(9, 8).preempt);
}

TEST(Policies, PriorityHalvesDownToZeroWhereAnyoneWins) {
  Priority policy;
  std::uint16_t priority = 65535;
  for (int i = 0; i < 16; ++i) priority = policy.collide(priority, 0).aggregator_priority;
  EXPECT_EQ(priority, 0);
  EXPECT_FALSE(policy.collide(0, 0).preempt);
  EXPECT_EQ(policy.collide(0, 0).aggregator_priority, 0);
  EXPECT_TRUE(policy.collide(0, 1).preempt);
}

TEST(Policies, CoinFlipPreemptsHalfTheTimeAndRepeatsItself) {
  CoinFlip one(5);
  CoinFlip two(5);
  int preempted = 0;
  for (int i = 0; i < 10000; ++i) {
    const auto decision = one.collide(3, 4);
    EXPECT_EQ(decision.preempt, two.collide(3, 4).preempt);
    EXPECT_EQ(decision.aggregator_priority, decision.preempt ? 4 : 3);
    preempted += decision.preempt ? 1 : 0;
  }
  EXPECT_NEAR(preempted, 5000, 250);  // five standard deviations
}

}  // namespace
}  // namespace ina::policies
