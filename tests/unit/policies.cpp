// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "switch-models/policies/all.hpp"

namespace ina::policies {
namespace {

constexpr TaskOrder kEveryOrder[] = {TaskOrder::other_job, TaskOrder::older, TaskOrder::newer};

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
  EXPECT_EQ(needs_of(kPolicy<TypeParam>).orders_tasks, kOrdersTasks<TypeParam>);
  EXPECT_EQ(needs_of(kPolicy<TypeParam>).expires, kNeverPreempts<TypeParam>);
  EXPECT_EQ(draws(kPolicy<TypeParam>), kDraws<TypeParam>);
}

TYPED_TEST(EveryPolicy, HasNoStateButWhatItDrawsFrom) {
  EXPECT_TRUE(std::is_empty_v<TypeParam> || kDraws<TypeParam>);
}

TYPED_TEST(EveryPolicy, DecidesForThePacketThatPreemptsAndNeverIfItSaysSo) {
  constexpr std::uint16_t kPriorities[] = {0, 1, 7, 255, 65535};
  for (const TaskOrder order : kEveryOrder) {
    for (const std::uint16_t aggregator : kPriorities) {
      for (const std::uint16_t packet : kPriorities) {
        const Decision decision = with_policy(kPolicy<TypeParam>, 3, [&](auto policy) {
          return policy.collide({aggregator, packet, order});
        });
        if (!decision.preempt) continue;
        EXPECT_FALSE(kNeverPreempts<TypeParam>);
        EXPECT_EQ(decision.aggregator_priority, packet);
      }
    }
  }
}

TYPED_TEST(EveryPolicy, LooksAtTheOrderOfTasksOnlyIfItSaysSo) {
  bool looks = false;
  for (const int aggregator : {3, 4, 5}) {
    std::set<std::pair<bool, std::uint16_t>> decisions;
    for (const TaskOrder order : kEveryOrder) {
      const Decision decision = with_policy(kPolicy<TypeParam>, 3, [&](auto policy) {
        return policy.collide({static_cast<std::uint16_t>(aggregator), 4, order});
      });
      decisions.emplace(decision.preempt, decision.aggregator_priority);
    }
    looks |= decisions.size() > 1;
  }
  EXPECT_EQ(looks, kOrdersTasks<TypeParam>);
}

Collision between_jobs(std::uint16_t aggregator_priority, std::uint16_t packet_priority) {
  return {aggregator_priority, packet_priority, TaskOrder::other_job};
}

TEST(Policies, FcfsKeepsWhoCameFirst) {
  const auto decision = Fcfs().collide(between_jobs(1, 65535));
  EXPECT_FALSE(decision.preempt);
  EXPECT_EQ(decision.aggregator_priority, 1);
}

TEST(Policies, AlwaysPreemptTakesEveryAggregator) {
  const auto decision = AlwaysPreempt().collide(between_jobs(65535, 1));
  EXPECT_TRUE(decision.preempt);
  EXPECT_EQ(decision.aggregator_priority, 1);
}

TEST(Policies, PriorityTieDoesNotPreempt) {
  Priority policy;
  EXPECT_TRUE(policy.collide(between_jobs(7, 8)).preempt);
  EXPECT_EQ(policy.collide(between_jobs(7, 8)).aggregator_priority, 8);
  EXPECT_FALSE(policy.collide(between_jobs(8, 8)).preempt);
  EXPECT_EQ(policy.collide(between_jobs(8, 8)).aggregator_priority, 4);
  EXPECT_FALSE(policy.collide(between_jobs(9, 8)).preempt);
}

TEST(Policies, PriorityHalvesDownToZeroWhereAnyoneWins) {
  Priority policy;
  std::uint16_t priority = 65535;
  for (int i = 0; i < 16; ++i)
    priority = policy.collide(between_jobs(priority, 0)).aggregator_priority;
  EXPECT_EQ(priority, 0);
  EXPECT_FALSE(policy.collide(between_jobs(0, 0)).preempt);
  EXPECT_EQ(policy.collide(between_jobs(0, 0)).aggregator_priority, 0);
  EXPECT_TRUE(policy.collide(between_jobs(0, 1)).preempt);
}

TEST(Policies, PriorityBetweenJobsLeavesTheAggregatorToTheNewerTaskOfAJobAndHalvesNothing) {
  PriorityBetweenJobs policy;
  for (const std::uint16_t packet_priority : {std::uint16_t{1}, std::uint16_t{9}}) {
    const Decision older = policy.collide({8, packet_priority, TaskOrder::older});
    EXPECT_FALSE(older.preempt);
    EXPECT_EQ(older.aggregator_priority, 8);
    const Decision newer = policy.collide({8, packet_priority, TaskOrder::newer});
    EXPECT_TRUE(newer.preempt);
    EXPECT_EQ(newer.aggregator_priority, packet_priority);
  }
}

TEST(Policies, PriorityBetweenJobsDecidesByPriorityBetweenJobs) {
  for (const std::uint16_t aggregator : {std::uint16_t{7}, std::uint16_t{8}, std::uint16_t{9}}) {
    const Collision collision = between_jobs(aggregator, 8);
    EXPECT_EQ(PriorityBetweenJobs().collide(collision).preempt,
              Priority().collide(collision).preempt);
    EXPECT_EQ(PriorityBetweenJobs().collide(collision).aggregator_priority,
              Priority().collide(collision).aggregator_priority);
  }
}

TEST(Policies, CoinFlipPreemptsHalfTheTimeAndRepeatsItself) {
  CoinFlip one(5);
  CoinFlip two(5);
  int preempted = 0;
  for (int i = 0; i < 10000; ++i) {
    const auto decision = one.collide(between_jobs(3, 4));
    EXPECT_EQ(decision.preempt, two.collide(between_jobs(3, 4)).preempt);
    EXPECT_EQ(decision.aggregator_priority, decision.preempt ? 4 : 3);
    preempted += decision.preempt ? 1 : 0;
  }
  EXPECT_NEAR(preempted, 5000, 250);  // five standard deviations
}

}  // namespace
}  // namespace ina::policies
