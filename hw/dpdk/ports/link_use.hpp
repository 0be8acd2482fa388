// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace ina::ports {

/// Whether a link's core is in its driver, or has to stay out of it. The core never waits.
class LinkUse {
 public:
  /// For the core: false if it has to stay out; else end() has to follow.
  bool begin() {
    in_use_ = true;
    if (!withdrawn_) return true;
    end();
    return false;
  }
  void end() { in_use_.store(false, std::memory_order_release); }

  /// For one other thread: returns when the core is out, which then stays out.
  void withdraw() {
    constexpr std::chrono::microseconds kPoll(20);
    withdrawn_ = true;
    while (in_use_) std::this_thread::sleep_for(kPoll);
  }
  void give_back() { withdrawn_.store(false, std::memory_order_release); }

 private:
  // Each side says what it wants before it looks at what the other does, in one order for both.
  std::atomic<bool> in_use_ = false;
  std::atomic<bool> withdrawn_ = false;
};

}  // namespace ina::ports
