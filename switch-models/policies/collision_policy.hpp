// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace ina::policies {

/// The policies by name, for who chooses one when the program runs.
enum class CollisionPolicy : std::uint8_t { fcfs, priority, always_preempt, coin_flip };

}  // namespace ina::policies
