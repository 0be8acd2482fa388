// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

namespace ina::ports {

/// Does `work` in DPDK's thread for events, in which drivers do theirs one by one, and returns when
/// it is done.
void run_in_event_thread(const std::function<void()>& work);

}  // namespace ina::ports
