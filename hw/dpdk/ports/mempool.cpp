// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/mempool.hpp"

#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>

#include "hw/dpdk/ports/eal.hpp"

namespace ina::ports {

namespace {

constexpr unsigned kCache = 2 * kBurst;
// What the queues may hold, and a burst each way under way.
constexpr std::size_t kBuffersPerPort = 2 * (kDescriptors + kBurst) + kCache;
static_assert(kBuffersPerPort * (RTE_MBUF_DEFAULT_BUF_SIZE + 3 * RTE_CACHE_LINE_SIZE) <
              (kPoolMegabytesPerPort << 20));

}  // namespace

rte_mempool& make_mempool(std::size_t ports) {
  rte_mempool* const pool =
      rte_pktmbuf_pool_create("ina", static_cast<unsigned>(ports * kBuffersPerPort), kCache, 0,
                              RTE_MBUF_DEFAULT_BUF_SIZE, static_cast<int>(rte_socket_id()));
  if (pool == nullptr) {
    throw PortError(std::string("no memory for packet buffers: ") + rte_strerror(rte_errno));
  }
  return *pool;
}

}  // namespace ina::ports
