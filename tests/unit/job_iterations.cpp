// SPDX-License-Identifier: BSD-3-Clause
#include "hw/cluster/training/job_iterations.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace ina::cluster {
namespace {

using ::testing::ElementsAre;

/// Two workers. Times are in picoseconds. end() advances a worker's iteration number.
class JobIterationsTest : public ::testing::Test {
 protected:
  bool start(std::uint32_t worker, std::int64_t at) {
    starts_[worker] = Time(at);
    return iterations_.worker_started(numbers_[worker], Time(at));
  }

  /// Ends an iteration in which the worker only computed.
  std::optional<JobIteration> end(std::uint32_t worker, std::int64_t at) {
    const JctBreakdown parts{.compute = at - starts_[worker].count()};
    return end(worker, at, parts, parts);
  }
  std::optional<JobIteration> end(std::uint32_t worker, std::int64_t at, const JctBreakdown& parts,
                                  const JctBreakdown& until_first_result) {
    return iterations_.worker_ended(numbers_[worker]++, static_cast<std::uint16_t>(worker),
                                    {starts_[worker], Time(at), parts, until_first_result});
  }

  void begin_again() {
    iterations_.begin_again();
    numbers_[0] = numbers_[1] = iterations_.finished();
  }

  JobIterations iterations_{2};

 private:
  std::uint32_t numbers_[2] = {0, 0};  // numbers of the workers' current iterations
  Time starts_[2] = {};
};

std::vector<std::int64_t> parts_of(const JobIteration& iteration) {
  const JctBreakdown& parts = iteration.breakdown;
  return {parts.compute, parts.lateness, parts.recovery};
}

TEST_F(JobIterationsTest, OfThoseThatEndTogetherTheHighestRankIsTheLastWhoeverTellsItFirst) {
  start(0, 10);
  start(1, 20);
  end(1, 60);
  const auto first = end(0, 60);
  ASSERT_TRUE(first);
  EXPECT_THAT(parts_of(*first), ElementsAre(40, 10, 0));
  start(0, 60);
  start(1, 60);
  end(0, 110, {.straggler = 50}, {});
  const auto second = end(1, 110);
  ASSERT_TRUE(second);
  EXPECT_THAT(parts_of(*second), ElementsAre(50, 0, 0));
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

TEST_F(JobIterationsTest, ThatTheLastWorkerBeganLaterIsJitterAndNoWaitForOthers) {
  start(0, 10);
  start(1, 30);
  end(0, 50);
  const auto iteration = end(1, 70);
  EXPECT_THAT(parts_of(*iteration), ElementsAre(40, 20, 0));
  EXPECT_EQ(iteration->breakdown.sum(), iteration->period().count());
  EXPECT_EQ(iteration->straggler_worker_mean, Time(0));
  EXPECT_EQ(iteration->worker_mean, Time(40));  // each relative to its own start
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
  EXPECT_EQ(iteration->breakdown.sum(), iteration->period().count());
  EXPECT_EQ(iterations_.started_at(), Time(10));
}

TEST_F(JobIterationsTest, WhatOneWorkerEndedIsForgottenWhenTheJobBeginsAnew) {
  start(0, 0);
  start(1, 0);
  end(0, 20);
  start(0, 20);  // the second iteration; the job restarts from the first
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

/// Worker 0 begins its second iteration 30 ps before the period of the job's second iteration, and
/// ends it last.
class ClippedIterationTest : public JobIterationsTest {
 protected:
  JobIteration clipped(const JctBreakdown& parts, const JctBreakdown& until_first_result) {
    start(0, 0);
    start(1, 0);
    end(0, 70);
    start(0, 70);
    end(1, 100);
    start(1, 100);
    end(1, 150, {.straggler = 20, .recovery = 30}, {});
    return *end(0, 200, parts, until_first_result);
  }
};

TEST_F(ClippedIterationTest, LosesWhatItsWorkerDidFirstBeforeThePeriod) {
  const JobIteration second = clipped({.compute = 80, .straggler = 50}, {.compute = 40});
  EXPECT_EQ(second.period(), Time(100));
  EXPECT_EQ(second.span(), Time(130));
  EXPECT_EQ(second.breakdown.compute, 50);
  EXPECT_EQ(second.breakdown.straggler, 50);
  EXPECT_EQ(second.straggler_worker_mean, Time((20 + 50) / 2));  // relative to their own starts
}

TEST_F(ClippedIterationTest, LosesTheWaitForOthersBehindTheBackwardAndNotTheForward) {
  const JobIteration second =
      clipped({.compute = 80, .serialisation = 10, .straggler = 38, .lateness = 2},
              {.compute = 20, .serialisation = 1, .straggler = 35, .lateness = 2});
  EXPECT_EQ(second.breakdown.compute, 60);
  EXPECT_EQ(second.breakdown.lateness, 0);
  EXPECT_EQ(second.breakdown.straggler, 30);
  EXPECT_EQ(second.breakdown.serialisation, 10);
  EXPECT_EQ(second.breakdown.sum(), 100);
}

TEST_F(ClippedIterationTest, AddsUpToThePeriodEvenIfTheFirstResultCameBeforeIt) {
  const JobIteration second =
      clipped({.compute = 5, .serialisation = 60, .queueing = 65}, {.compute = 5, .queueing = 10});
  EXPECT_EQ(second.breakdown.compute, 0);
  EXPECT_EQ(second.breakdown.sum(), 100);
}

TEST_F(JobIterationsTest, PeriodsFollowOneAnother) {
  start(0, 10);
  start(1, 20);
  end(0, 30);
  start(0, 30);
  EXPECT_EQ(end(1, 50)->period(), Time(40));
  start(1, 50);
  end(0, 70);
  EXPECT_EQ(end(1, 90)->period(), Time(40));
}

TEST_F(JobIterationsTest, ComeInOrderWhileWorkersAreInDifferentOnes) {
  start(0, 0);
  start(1, 0);
  end(0, 10);
  EXPECT_TRUE(start(0, 10));  // the second iteration starts before the first is over
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
