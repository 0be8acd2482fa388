// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "switch-models/policies/all.hpp"
#include "tests/support/seen_collision.hpp"

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
  const PolicyNeeds needs = needs_of(kPolicy<TypeParam>);
  EXPECT_EQ(needs.comparisons, TypeParam::kComparisons);
  EXPECT_EQ(needs.orders_tasks, (kSees<TypeParam, TaskOrders>));
  EXPECT_EQ(needs.age, (kSees<TypeParam, Age>));
  EXPECT_EQ(needs.contributions, (kSees<TypeParam, Contributions>));
  EXPECT_EQ(needs.expires, kExpires<TypeParam>);
  EXPECT_EQ(draws(kPolicy<TypeParam>), kDraws<TypeParam>);
}

TYPED_TEST(EveryPolicy, HasNoStateButItsParametersAndWhatItDrawsFrom) {
  if constexpr (Parametrised<TypeParam>) {
    EXPECT_TRUE(sizeof(TypeParam) == sizeof(typename TypeParam::Config) || kDraws<TypeParam>);
  } else {
    EXPECT_TRUE(std::is_empty_v<TypeParam> || kDraws<TypeParam>);
  }
}

TYPED_TEST(EveryPolicy, HasDefaultsInTheRangesOfItsParameters) {
  for_each_parameter(kPolicy<TypeParam>, [](const Parameter& parameter, std::int64_t value) {
    EXPECT_NE(parameter.name, "name") << "the key of the policy's own name";
    EXPECT_LE(0, parameter.low);
    EXPECT_LE(parameter.low, value);
    EXPECT_LE(value, parameter.high);
  });
}

TYPED_TEST(EveryPolicy, DecidesForThePacketThatPreempts) {
  constexpr std::uint16_t kPriorities[] = {0, 1, 7, 255, 65535};
  constexpr Time kAges[] = {Time::zero(), std::chrono::milliseconds(1), std::chrono::hours(2)};
  const auto check = [](const ina::testing::AnyCollision& collision) {
    const Decision decision = with_policy(kPolicy<TypeParam>, 3, [&](auto policy) {
      return policy.collide(ina::testing::seen_by<decltype(policy)>(collision));
    });
    if (!decision.preempt) return;
    EXPECT_EQ(decision.aggregator_priority, collision.packet_priority);
  };
  for (const std::uint16_t aggregator : kPriorities) {
    for (const std::uint16_t packet : kPriorities) {
      for (const TaskOrder order : kEveryOrder) {
        for (const Time age : kAges) {
          for (const unsigned contributions : {1U, 32U}) {
            check({{aggregator, packet, 1, 2}, {order}, {age}, {contributions}});
          }
        }
      }
    }
  }
}

TYPED_TEST(EveryPolicy, FreesAnyAggregatorAfterSomeCollisionsUnlessThatExpires) {
  constexpr int kCollisions = 100;
  const auto frees = [](unsigned contributions) {
    return with_policy(kPolicy<TypeParam>, 3, [&](auto policy) {
      ina::testing::AnyCollision collision{
          {65535, 1, 1, 2}, {TaskOrder::other_job}, {}, {contributions}};
      collision.age = std::chrono::hours(2);
      for (int i = 0; i < kCollisions; ++i) {
        const Decision decision =
            policy.collide(ina::testing::seen_by<decltype(policy)>(collision));
        if (decision.preempt) return true;
        collision.aggregator_priority = decision.aggregator_priority;
      }
      return false;
    });
  };
  EXPECT_NE(frees(1) && frees(32), kExpires<TypeParam>);
}

template <class Seen>
concept HasOrder = requires(Seen seen) {
  seen.packet_is;
};
template <class Seen>
concept HasAge = requires(Seen seen) {
  seen.age;
};
template <class Seen>
concept HasContributions = requires(Seen seen) {
  seen.contributions;
};

TEST(Policies, SeeOnlyWhatTheyName) {
  EXPECT_FALSE(HasOrder<Collision> || HasAge<Collision> || HasContributions<Collision>);
  EXPECT_TRUE(HasOrder<CollisionWith<TaskOrders>>);
  EXPECT_TRUE(HasAge<CollisionWith<Age>> && !HasContributions<CollisionWith<Age>>);
  EXPECT_TRUE((HasAge<CollisionWith<Contributions, Age>>));
}

/// A policy with parameters of both kinds and a coin.
class Parametric {
 public:
  static constexpr std::string_view kName = "parametric";
  static constexpr unsigned kComparisons = 0;
  static constexpr bool kDraws = true;
  struct Config {
    Time pause = std::chrono::microseconds(3);
    std::uint32_t halvings = 5;
  };
  template <class Visitor, class AnyConfig>
  static constexpr void visit(Visitor& visitor, AnyConfig& config) {
    visitor.time("pause", config.pause, Time(1), std::chrono::seconds(1), "How long it waits");
    visitor.integer("halvings", config.halvings, 1U, 16U, "How often it halves");
  }
  Parametric(const Config& config, std::uint64_t seed) : config(config), seed(seed) {}
  Decision collide(const Collision&) { return {}; }

  Config config;
  std::uint64_t seed;
};

TEST(PolicyParameters, AreDescribedOnceWithTheirDefaults) {
  constexpr CollectedParameters kFound = kParameters<Parametric>;
  ASSERT_EQ(kFound.count, 2U);
  EXPECT_EQ(kFound.parameters[0].name, "pause");
  EXPECT_EQ(kFound.parameters[0].kind, Parameter::Kind::time);
  EXPECT_EQ(kFound.parameters[0].high, 1'000'000'000'000);
  EXPECT_EQ(kFound.values[0], 3'000'000);
  EXPECT_EQ(kFound.parameters[1].kind, Parameter::Kind::integer);
  EXPECT_EQ(kFound.values[1], 5);
  EXPECT_EQ(kFound.parameters[1].name, "halvings");
}

TEST(PolicyParameters, ReachThePolicyWithItsSeed) {
  const auto policy = make_policy<Parametric>({7, 9}, 11);
  EXPECT_EQ(policy.config.pause, Time(7));
  EXPECT_EQ(policy.config.halvings, 9U);
  EXPECT_EQ(policy.seed, 11U);
}

Collision between_jobs(std::uint16_t aggregator_priority, std::uint16_t packet_priority) {
  return {aggregator_priority, packet_priority, 1, 2};
}

/// The collision as PriorityBetweenJobs sees it.
CollisionWith<TaskOrders> ordered(std::uint16_t aggregator_priority, std::uint16_t packet_priority,
                                  TaskOrder packet_is) {
  return {between_jobs(aggregator_priority, packet_priority), {packet_is}};
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
    const Decision older = policy.collide(ordered(8, packet_priority, TaskOrder::older));
    EXPECT_FALSE(older.preempt);
    EXPECT_EQ(older.aggregator_priority, 8);
    const Decision newer = policy.collide(ordered(8, packet_priority, TaskOrder::newer));
    EXPECT_TRUE(newer.preempt);
    EXPECT_EQ(newer.aggregator_priority, packet_priority);
  }
}

TEST(Policies, PriorityBetweenJobsDecidesByPriorityBetweenJobs) {
  for (const std::uint16_t aggregator : {std::uint16_t{7}, std::uint16_t{8}, std::uint16_t{9}}) {
    const CollisionWith<TaskOrders> collision = ordered(aggregator, 8, TaskOrder::other_job);
    EXPECT_EQ(PriorityBetweenJobs().collide(collision).preempt,
              Priority().collide(collision).preempt);
    EXPECT_EQ(PriorityBetweenJobs().collide(collision).aggregator_priority,
              Priority().collide(collision).aggregator_priority);
  }
}

TEST(Policies, PreemptStaleTakesWhatHasWaitedLongerAndHalvesNothing) {
  const auto decide = [](Time after, Time age) {
    return PreemptStale({after}).collide({between_jobs(9, 1), {age}});
  };
  constexpr Time kAfter = std::chrono::microseconds(20);
  EXPECT_FALSE(decide(kAfter, kAfter).preempt);
  EXPECT_EQ(decide(kAfter, kAfter).aggregator_priority, 9);
  EXPECT_TRUE(decide(kAfter, kAfter + Time(1)).preempt);
  EXPECT_EQ(decide(kAfter, kAfter + Time(1)).aggregator_priority, 1);
  EXPECT_FALSE(decide(2 * kAfter, kAfter + Time(1)).preempt);
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
