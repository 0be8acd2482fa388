// SPDX-License-Identifier: BSD-3-Clause
// Both ends of memif links close at once: what DPDK's driver has of a link is freed once.
#include <gtest/gtest.h>

#include <memory>

#include "hw/dpdk/ports/captured_errors.hpp"
#include "tests/unit/support/memif_end.hpp"

namespace ina::ports {
namespace {

constexpr int kLinks = 300;

TEST(Memif, LinksWhoseEndsCloseAtOnceAreFreedOnce) {
  buffers();
  CapturedErrors errors;
  for (int link = 0; link < kLinks; ++link) {
    auto server = std::make_unique<MemifEnd>(memif_device("net_memif0", "server"));
    auto client = std::make_unique<MemifEnd>(memif_device("net_memif1", "client"));
    wait_for_link(*server, true);
    wait_for_link(*client, true);
    (link % 2 == 0 ? server : client).reset();
  }
  EXPECT_EQ(errors.text(), "");
}

}  // namespace
}  // namespace ina::ports
