// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_mempool.h>

#include <cstddef>
#include <cstdint>

namespace ina::ports {

/// Frames that a port moves at once.
inline constexpr std::uint16_t kBurst = 32;
/// Descriptors of a port's queue, in each direction.
inline constexpr std::uint16_t kDescriptors = 512;
/// What a pool of buffers takes at most for each port.
inline constexpr std::size_t kPoolMegabytesPerPort = 4;

/// The packet buffers of a process with that many ports; freed with the Eal. Throws PortError.
rte_mempool& make_mempool(std::size_t ports);

}  // namespace ina::ports
