// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/mempool.hpp"

#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>

#include "hw/dpdk/ports/eal.hpp"

namespace ina::ports {

namespace {

constexpr unsigned kCache = 2 * kBurst;
constexpr std::size_t kBufferBytes = 3 << 10;
static_assert(RTE_MBUF_DEFAULT_BUF_SIZE + 3 * RTE_CACHE_LINE_SIZE < kBufferBytes);

/// Buffers for full queues and rings, one burst in flight per direction, and the caches of all
/// cores.
std::size_t buffers_for(std::size_t ports, std::size_t cores) {
  const std::size_t of_port =
      cores * 2 * (kDescriptors + kBurst) + (cores - 1) * ring_buffers(cores) + kCache;
  return ports * of_port + cores * (cores - 1) * ring_buffers(cores) + 2 * cores * kCache;
}

}  // namespace

std::size_t pool_megabytes(std::size_t ports, std::size_t cores) {
  return (buffers_for(ports, cores) * kBufferBytes >> 20) + 1;
}

rte_mempool& make_mempool(std::size_t ports, std::size_t cores) {
  rte_mempool* const pool =
      rte_pktmbuf_pool_create("ina", static_cast<unsigned>(buffers_for(ports, cores)), kCache, 0,
                              RTE_MBUF_DEFAULT_BUF_SIZE, static_cast<int>(rte_socket_id()));
  if (pool == nullptr) {
    throw PortError(std::string("no memory for packet buffers: ") + rte_strerror(rte_errno));
  }
  return *pool;
}

}  // namespace ina::ports
