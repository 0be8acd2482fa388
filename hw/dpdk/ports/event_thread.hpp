// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

namespace ina::ports {

/// Runs `work` in DPDK's event thread, which serialises it with the drivers' event handlers.
/// Returns when it is done.
void run_in_event_thread(const std::function<void()>& work);

}  // namespace ina::ports
