// SPDX-License-Identifier: BSD-3-Clause
// Both ends of memif links close at once: what DPDK's driver has of a link is freed once.
#include <gtest/gtest.h>
#include <rte_dev.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "hw/dpdk/ports/captured_errors.hpp"
#include "hw/dpdk/ports/device.hpp"
#include "hw/dpdk/ports/eal.hpp"

namespace ina::ports {
namespace {

constexpr int kLinks = 300;
constexpr wire::Protocol kProtocol = wire::Protocol::dsa;

rte_mempool& buffers() {
  static const Eal eal({{"net_ring0"}});
  static rte_mempool& pool = make_mempool(2, 1);
  return pool;
}

/// A memif device of its own, which a link takes and gives up.
class End {
 public:
  End(const std::string& name, const std::string& role, const std::filesystem::path& socket)
      : name_(name) {
    buffers();
    const std::string arguments = "role=" + role + ",socket-abstract=no,socket=" + socket.string();
    EXPECT_EQ(rte_eal_hotplug_add("vdev", name.c_str(), arguments.c_str()), 0);
    device_ = std::make_unique<Device>(name, kProtocol, buffers());
  }
  ~End() {
    device_.reset();
    EXPECT_EQ(rte_eal_hotplug_remove("vdev", name_.c_str()), 0);
  }
  End(const End&) = delete;
  End& operator=(const End&) = delete;

  const Device& device() const { return *device_; }

 private:
  std::string name_;
  std::unique_ptr<Device> device_;
};

TEST(Memif, LinksWhoseEndsCloseAtOnceAreFreedOnce) {
  const std::filesystem::path socket =
      std::filesystem::path(testing::TempDir()) / ("memif-" + std::to_string(getpid()));
  buffers();
  CapturedErrors errors;
  for (int link = 0; link < kLinks; ++link) {
    auto server = std::make_unique<End>("net_memif0", "server", socket);
    auto client = std::make_unique<End>("net_memif1", "client", socket);
    while (!server->device().link_is_up() || !client->device().link_is_up()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    (link % 2 == 0 ? server : client).reset();
  }
  EXPECT_EQ(errors.text(), "");
}

}  // namespace
}  // namespace ina::ports
