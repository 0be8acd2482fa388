// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace ina {

/// Default limit, in bytes, of the queue of a host's network interface. While the queue is full,
/// packets wait in the transport even if the window allows them.
inline constexpr std::uint32_t kInterfaceQueueBytes = 16'000;

}  // namespace ina
