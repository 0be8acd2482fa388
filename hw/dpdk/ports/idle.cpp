// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/idle.hpp"

#include <sched.h>
#include <sys/prctl.h>

#include <chrono>
#include <thread>

namespace ina::ports {

namespace {

constexpr int kYields = 32;
constexpr std::chrono::microseconds kNap(20);
constexpr unsigned long kTimerSlackNs = 1;  // the usual 50 us would make every nap thrice as long

}  // namespace

Idle::Idle() { prctl(PR_SET_TIMERSLACK, kTimerSlackNs); }

void Idle::found_nothing() {
  if (in_vain_ < kYields) {
    ++in_vain_;
    sched_yield();
  } else {
    std::this_thread::sleep_for(kNap);
  }
}

}  // namespace ina::ports
