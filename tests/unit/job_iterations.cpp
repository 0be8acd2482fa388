// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/job_iterations.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace ina::cluster {
namespace {

using ::testing::ElementsAre;

/// Two workers, told in picoseconds; each starts its next iteration when it ends one.
class JobIterationsTest : public ::testing::Test {
 protected:
  bool start(std::uint32_t worker, std::int64_t at) {
    starts_[worker] = Time(at);
    return iterations_.worker_started(numbers_[worker], Time(at));
  }

  /// Of which a worker computed all the time.
  std::optional<JobIteration> end(std::uint32_t worker, std::int64_t at) {
    const Time start = starts_[worker];
    return iterations_.worker_ended(numbers_[worker]++, static_cast<std::uint16_t>(worker), start,
                                    Time(at), JctBreakdown{.compute = at - start.count()});
  }

  void begin_again() {
    iterations_.begin_again();
    numbers_[0] = numbers_[1] = iterations_.finished();
  }

  JobIterations iterations_{2};

 private:
  std::uint32_t numbers_[2] = {0, 0};  // of the workers' iterations
  Time starts_[2] = {};
};

std::vector<std::int64_t> parts_of(const JobIteration& iteration) {
  const JctBreakdown& parts = iteration.breakdown;
  return {parts.compute, parts.straggler, parts.recovery};
}

TEST_F(JobIterationsTest, OfThoseThatEndTogetherTheHighestRankIsTheLastWhoeverTellsItFirst) {
  start(0, 10);
  start(1, 20);
  end(1, 60);
  const auto first = end(0, 60);
  ASSERT_TRUE(first);
  EXPECT_THAT(parts_of(*first), ElementsAre(40, 10, 0));
  start(0, 110);
  start(1, 120);
  end(0, 160);
  const auto second = end(1, 160);
  ASSERT_TRUE(second);
  EXPECT_EQ(parts_of(*second), parts_of(*first));
}

TEST_F(JobIterationsTest, AnIterationLastsFromTheFirstWorkersStartToTheLastOnesEnd) {
  EXPECT_EQ(iterations_.started_at(), std::nullopt);
  EXPECT_TRUE(start(1, 10));
  EXPECT_FALSE(start(0, 10));
  EXPECT_FALSE(end(0, 50));
  EXPECT_EQ(iterations_.finished(), 0U);
  const auto iteration = end(1, 71);
  ASSERT_TRUE(iteration);
  EXPECT_EQ(iteration->start, Time(10));
  EXPECT_EQ(iteration->end, Time(71));
  EXPECT_EQ(iteration->beginnings, 1U);
  EXPECT_EQ(iteration->worker_mean, Time((40 + 61) / 2));
  EXPECT_THAT(parts_of(*iteration), ElementsAre(61, 0, 0));
  EXPECT_EQ(iterations_.finished(), 1U);
  EXPECT_EQ(iterations_.started_at(), Time(10));
}

TEST_F(JobIterationsTest, ThatTheLastWorkerBeganLaterIsStraggler) {
  start(0, 10);
  start(1, 30);
  end(0, 50);
  const auto iteration = end(1, 70);
  EXPECT_THAT(parts_of(*iteration), ElementsAre(40, 20, 0));
  EXPECT_EQ(iteration->breakdown.sum(), (iteration->end - iteration->start).count());
  EXPECT_EQ(iteration->worker_mean, Time(40));  // each by its own start
}

TEST_F(JobIterationsTest, WhatWasBegunAnewTwiceCountsFromItsFirstStartAndInVainIsRecovery) {
  EXPECT_TRUE(start(0, 10));
  start(1, 10);
  begin_again();
  EXPECT_TRUE(start(1, 100));
  begin_again();
  EXPECT_TRUE(start(1, 200));
  EXPECT_FALSE(start(0, 203));
  end(1, 220);
  const auto iteration = end(0, 240);
  ASSERT_TRUE(iteration);
  EXPECT_EQ(iteration->start, Time(10));
  EXPECT_EQ(iteration->beginnings, 3U);
  EXPECT_EQ(iteration->worker_mean, Time((190 + 20 + 190 + 37) / 2));
  EXPECT_THAT(parts_of(*iteration), ElementsAre(37, 3, 190));
  EXPECT_EQ(iteration->breakdown.sum(), (iteration->end - iteration->start).count());
  EXPECT_EQ(iterations_.started_at(), Time(10));
}

TEST_F(JobIterationsTest, WhatOneWorkerEndedIsForgottenWhenTheJobBeginsAnew) {
  start(0, 0);
  start(1, 0);
  end(0, 20);
  start(0, 20);  // of the iteration after the one that is begun anew
  begin_again();
  start(0, 100);
  start(1, 100);
  EXPECT_FALSE(end(0, 120));
  EXPECT_TRUE(start(0, 120));
  EXPECT_TRUE(end(1, 130));
  start(1, 130);
  end(0, 140);
  const auto second = end(1, 150);
  EXPECT_EQ(second->start, Time(120));
  EXPECT_EQ(second->beginnings, 1U);
  EXPECT_EQ(second->breakdown.recovery, 0);
}

TEST_F(JobIterationsTest, ThatNobodyHadBegunBeforeTheJobBeganAnewIsNoBeginning) {
  begin_again();
  start(0, 100);
  start(1, 100);
  end(0, 120);
  const auto iteration = end(1, 120);
  EXPECT_EQ(iteration->start, Time(100));
  EXPECT_EQ(iteration->beginnings, 1U);
  EXPECT_EQ(iteration->breakdown.recovery, 0);
}

TEST_F(JobIterationsTest, ComeInOrderWhileWorkersAreInDifferentOnes) {
  start(0, 0);
  start(1, 0);
  end(0, 10);
  EXPECT_TRUE(start(0, 10));  // the second one, before the first is over
  const auto first = end(1, 15);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->end, Time(15));
  EXPECT_FALSE(start(1, 15));
  EXPECT_FALSE(end(1, 30));
  EXPECT_TRUE(start(1, 30));
  const auto second = end(0, 32);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->start, Time(10));
  EXPECT_EQ(second->end, Time(32));
  EXPECT_EQ(iterations_.finished(), 2U);
}

}  // namespace
}  // namespace ina::cluster
