// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace ina {

/// Default limit, in bytes, of the queue of a host's network interface. If it is full, packets that
/// the window allows wait in the transport.
inline constexpr std::uint32_t kInterfaceQueueBytes = 16'000;

}  // namespace ina
