// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/idle.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <thread>

namespace ina::ports {

namespace {

constexpr int kPolls = 8;
constexpr std::chrono::microseconds kFirstNap(25);
constexpr std::chrono::microseconds kLongestNap(200);
constexpr unsigned long kTimerSlackNs = 1;  // the usual 50 us would make every nap thrice as long

}  // namespace

Idle::Idle(bool polls) : polls_(polls), nap_(kFirstNap) { prctl(PR_SET_TIMERSLACK, kTimerSlackNs); }

void Idle::found_work() {
  in_vain_ = 0;
  nap_ = kFirstNap;
}

void Idle::found_nothing() {
  if (polls_) return;
  if (in_vain_ < kPolls) {
    ++in_vain_;
    return;
  }
  std::this_thread::sleep_for(nap_);
  nap_ = std::min(2 * nap_, kLongestNap);
}

}  // namespace ina::ports
