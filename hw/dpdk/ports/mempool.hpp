// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_mempool.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ina::ports {

/// Maximum number of frames that a port moves at once.
inline constexpr std::uint16_t kBurst = 32;
/// Number of descriptors per queue and direction.
inline constexpr std::uint16_t kDescriptors = 512;
/// Number of buffers in each ring between two of `cores` cores. The more rings, the fewer buffers.
constexpr std::size_t ring_buffers(std::size_t cores) {
  return std::max(std::size_t{2} * kBurst, std::size_t{2} * kDescriptors / cores);
}

/// Upper bound of the memory for a process's packet buffers, in MiB.
std::size_t pool_megabytes(std::size_t ports, std::size_t cores);

/// Creates the packet buffers of a process with `ports` ports and `cores` cores. Only one pool can
/// exist at a time. Throws PortError.
rte_mempool& make_mempool(std::size_t ports, std::size_t cores);

}  // namespace ina::ports
