// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/idle.hpp"

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <thread>

namespace ina::ports {

namespace {

constexpr int kLooks = 20;
constexpr std::chrono::microseconds kFirstNap(100);
constexpr std::chrono::microseconds kLongestNap(200);
constexpr unsigned long kTimerSlackNs = 1;  // the default of 50 us would lengthen every nap

/// Makes this thread wait, after it wakes up, until the thread on its processor sleeps, yields or
/// has used up its time slice. A scheduling policy other than the default is kept.
void wait_for_turns() {
  const sched_param none{};
  if (sched_getscheduler(0) == SCHED_OTHER) sched_setscheduler(0, SCHED_BATCH, &none);
}

}  // namespace

Idle::Idle(Strategy strategy) : strategy_(strategy), nap_(kFirstNap) {
  if (strategy_ == Strategy::polls) return;
  prctl(PR_SET_TIMERSLACK, kTimerSlackNs);
  if (strategy_ == Strategy::yields) wait_for_turns();
}

void Idle::found_work() {
  looks_ = 0;
  nap_ = kFirstNap;
}

void Idle::found_nothing() {
  if (strategy_ == Strategy::polls) return;
  if (looks_ < kLooks) {
    ++looks_;
    if (strategy_ == Strategy::yields) sched_yield();
    return;
  }
  std::this_thread::sleep_for(nap_);
  nap_ = std::min(2 * nap_, kLongestNap);
}

}  // namespace ina::ports
