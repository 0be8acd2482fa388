// SPDX-License-Identifier: BSD-3-Clause
// Both ends of memif links close at once. DPDK's driver must free each link once.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

#include "hw/dpdk/ports/captured_errors.hpp"
#include "tests/unit/support/memif_end.hpp"

namespace ina::ports {
namespace {

constexpr int kLinks = 200;
/// Both ends are in this process. DPDK's event thread may still have an event of a closed file, and
/// the next link may reuse its number and then wait forever for a message. This time lets the
/// thread finish.
constexpr std::chrono::milliseconds kEventsHandled{10};

TEST(Memif, LinksWhoseEndsCloseAtOnceAreFreedOnce) {
  buffers();
  CapturedErrors errors;
  for (int link = 0; link < kLinks; ++link) {
    auto server = std::make_unique<MemifEnd>(memif_device("net_memif0", "server"));
    auto client = std::make_unique<MemifEnd>(memif_device("net_memif1", "client"));
    wait_for_link(*server, true);
    wait_for_link(*client, true);
    (link % 2 == 0 ? server : client).reset();
    (link % 2 == 0 ? client : server).reset();
    std::this_thread::sleep_for(kEventsHandled);
  }
  EXPECT_EQ(errors.text(), "");
}

}  // namespace
}  // namespace ina::ports
