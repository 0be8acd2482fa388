// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/idle.hpp"

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <thread>

namespace ina::ports {

namespace {

constexpr int kYields = 20;
constexpr std::chrono::microseconds kFirstNap(100);
constexpr std::chrono::microseconds kLongestNap(200);
constexpr unsigned long kTimerSlackNs = 1;  // the usual 50 us would make every nap longer

/// Has this thread, when it wakes up, wait until the one at work on its processor has done what
/// there is. Where its priority was chosen by who started it, that stays.
void interrupt_nobody() {
  const sched_param none{};
  if (sched_getscheduler(0) == SCHED_OTHER) sched_setscheduler(0, SCHED_BATCH, &none);
}

}  // namespace

Idle::Idle(bool polls) : polls_(polls), nap_(kFirstNap) {
  if (polls_) return;
  prctl(PR_SET_TIMERSLACK, kTimerSlackNs);
  interrupt_nobody();
}

void Idle::found_work() {
  yields_ = 0;
  nap_ = kFirstNap;
}

void Idle::found_nothing() {
  if (polls_) return;
  if (yields_ < kYields) {
    ++yields_;
    sched_yield();
    return;
  }
  std::this_thread::sleep_for(nap_);
  nap_ = std::min(2 * nap_, kLongestNap);
}

}  // namespace ina::ports
