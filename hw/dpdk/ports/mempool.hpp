// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_mempool.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ina::ports {

/// Frames that a port moves at once.
inline constexpr std::uint16_t kBurst = 32;
/// Descriptors of a port's queue, in each direction.
inline constexpr std::uint16_t kDescriptors = 512;
/// Buffers in a ring from one of `cores` cores to another: fewer where there are more rings.
constexpr std::size_t ring_buffers(std::size_t cores) {
  return std::max(std::size_t{2} * kBurst, std::size_t{2} * kDescriptors / cores);
}

/// What the packet buffers of a process take at most.
std::size_t pool_megabytes(std::size_t ports, std::size_t cores);

/// The packet buffers of a process with that many ports and cores, one pool at a time. Throws
/// PortError.
rte_mempool& make_mempool(std::size_t ports, std::size_t cores);

}  // namespace ina::ports
