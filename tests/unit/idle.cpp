// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/idle.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace ina::ports {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kTimes = 200;

/// The scheduling policy of a thread after it was idle in a strategy. `policy`: its policy at the
/// start. Negative: this process may not use that policy.
int policy_of(Idle::Strategy strategy, int policy) {
  int found = -1;
  std::thread([&] {
    const sched_param priority{.sched_priority = sched_get_priority_min(policy)};
    if (sched_setscheduler(0, policy, &priority) != 0) return;
    const Idle idle(strategy);
    found = sched_getscheduler(0);
  }).join();
  return found;
}

Clock::duration time_of_nothing(Idle& idle) {
  const auto begin = Clock::now();
  for (int i = 0; i < kTimes; ++i) idle.found_nothing();
  return Clock::now() - begin;
}

TEST(Idle, WaitsItsTurnOnlyWhereItGivesWay) {
  EXPECT_EQ(policy_of(Idle::Strategy::yields, SCHED_OTHER), SCHED_BATCH);
  EXPECT_EQ(policy_of(Idle::Strategy::naps, SCHED_OTHER), SCHED_OTHER);
  EXPECT_EQ(policy_of(Idle::Strategy::polls, SCHED_OTHER), SCHED_OTHER);
}

TEST(Idle, KeepsAnotherPolicyThatItWasStartedWith) {
  EXPECT_EQ(policy_of(Idle::Strategy::yields, SCHED_IDLE), SCHED_IDLE);
  const int real_time = policy_of(Idle::Strategy::yields, SCHED_RR);
  if (real_time < 0) GTEST_SKIP() << "this user may not have real-time priority";
  EXPECT_EQ(real_time, SCHED_RR);
}

TEST(Idle, SleepsAfterAWhileUnlessItPolls) {
  using std::chrono::milliseconds;
  for (const auto strategy : {Idle::Strategy::naps, Idle::Strategy::yields}) {
    std::thread([&] {
      Idle idle(strategy);
      EXPECT_GE(time_of_nothing(idle), milliseconds(30));  // 180 of 200 idle calls are naps
    }).join();
  }
  Idle polling(Idle::Strategy::polls);
  auto least = Clock::duration::max();  // other processes may run meanwhile
  for (int i = 0; i < 20; ++i) least = std::min(least, time_of_nothing(polling));
  EXPECT_LT(least, milliseconds(1));
}

TEST(Idle, LooksAgainAtOnceAfterWork) {
  Idle idle(Idle::Strategy::naps);
  auto least = Clock::duration::max();
  for (int i = 0; i < kTimes; ++i) {
    idle.found_work();
    const auto begin = Clock::now();
    idle.found_nothing();
    least = std::min(least, Clock::now() - begin);
  }
  EXPECT_LT(least, std::chrono::microseconds(50));
}

}  // namespace
}  // namespace ina::ports
