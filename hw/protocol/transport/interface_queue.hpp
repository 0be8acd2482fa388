// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace ina {

/// Bytes that a host puts before its line at most, unless told otherwise; what a window allows
/// beyond stays with the transport.
inline constexpr std::uint32_t kInterfaceQueueBytes = 16'000;

}  // namespace ina
