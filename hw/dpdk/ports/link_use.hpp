// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace ina::ports {

/// Keeps a link's core and another thread from using the link's driver at the same time. The core
/// never waits.
class LinkUse {
 public:
  /// Called by the core before it uses the driver. If true, it may, and must call end() afterwards.
  bool begin() {
    in_use_ = true;
    if (!withdrawn_) return true;
    end();
    return false;
  }
  void end() { in_use_.store(false, std::memory_order_release); }

  /// Called by one other thread. Waits until the core has left the driver. Until give_back(), the
  /// core cannot enter it again.
  void withdraw() {
    constexpr std::chrono::microseconds kPoll(20);
    withdrawn_ = true;
    while (in_use_) std::this_thread::sleep_for(kPoll);
  }
  void give_back() { withdrawn_.store(false, std::memory_order_release); }

 private:
  // Each side first sets its own flag and then reads the other's, both sequentially consistent.
  std::atomic<bool> in_use_ = false;
  std::atomic<bool> withdrawn_ = false;
};

}  // namespace ina::ports
