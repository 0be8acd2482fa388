// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace ina {

/// Default limit of the bytes that a host queues before its line. Further packets that the window
/// allows stay with the transport.
inline constexpr std::uint32_t kInterfaceQueueBytes = 16'000;

}  // namespace ina
