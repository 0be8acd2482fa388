// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

namespace ina::ports {

/// Runs `work` in DPDK's interrupt thread, so that it does not overlap with the drivers' interrupt
/// handlers. If that fails, runs it in the calling thread. Returns when `work` is done.
void run_in_event_thread(const std::function<void()>& work);

}  // namespace ina::ports
