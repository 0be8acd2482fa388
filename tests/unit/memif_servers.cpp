// SPDX-License-Identifier: BSD-3-Clause
// Clients of a memif server connect and disconnect while its core is running.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "hw/dpdk/ports/descriptor.hpp"
#include "hw/dpdk/ports/device_spec.hpp"
#include "hw/dpdk/ports/memif_device.hpp"
#include "hw/dpdk/ports/memif_servers.hpp"
#include "tests/unit/support/memif_end.hpp"

namespace ina::ports {
namespace {

using Buffers = std::array<rte_mbuf*, kBurst>;

constexpr std::uint16_t kFrameBytes = 1500;

/// A server like those in the programs.
class Server : public MemifEnd {
 public:
  Server() : MemifEnd(device_of_driver()) { MemifServers::of_process().open(); }

  LinkUse& use() { return *MemifServers::of_process().use_of("net_memif0"); }

 private:
  static std::string device_of_driver() {
    DeviceSpec spec = DeviceSpec::parse(memif_device("net_memif0", "server"));
    MemifServers::of_process().add(MemifDevice::check(spec));
    spec.set("socket", of_driver(memif_socket()));
    return spec.text();
  }
};

class Client : public MemifEnd {
 public:
  Client() : MemifEnd(memif_device("net_memif1", "client")) {}
};

/// A thread that sends whenever the link takes frames, and reads.
class BusyCore {
 public:
  explicit BusyCore(Device& device)
      : device_(device), thread_([this] {
          while (!stop_) step();
        }) {}
  ~BusyCore() {
    stop_ = true;
    thread_.join();
  }
  BusyCore(const BusyCore&) = delete;
  BusyCore& operator=(const BusyCore&) = delete;

 private:
  void step() {
    Buffers burst{};
    if (rte_pktmbuf_alloc_bulk(&device_.buffers(), burst.data(), kBurst) != 0) return;
    for (rte_mbuf* buffer : burst) rte_pktmbuf_append(buffer, kFrameBytes);
    const std::uint16_t sent = device_.transmit(0, burst.data(), kBurst);
    rte_pktmbuf_free_bulk(burst.data() + sent, static_cast<unsigned>(kBurst - sent));
    const std::uint16_t came = device_.receive(0, burst.data(), kBurst);
    rte_pktmbuf_free_bulk(burst.data(), came);
  }

  Device& device_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

/// Reads the given number of frames.
void read(Device& device, int frames) {
  while (frames > 0) {
    Buffers burst{};
    const std::uint16_t came = device.receive(0, burst.data(), kBurst);
    rte_pktmbuf_free_bulk(burst.data(), came);
    frames -= came;
  }
}

TEST(MemifServers, ALinkStaysWhileItsCoreIsInTheDriverThoughTheClientHasGone) {
  constexpr std::chrono::milliseconds kLong(100);
  Server server;
  {
    Client client;
    wait_for_link(server, true);
    wait_for_link(client, true);
    ASSERT_TRUE(server.use().begin());
  }
  std::this_thread::sleep_for(kLong);
  EXPECT_TRUE(server.device().link_is_up());
  server.use().end();
  wait_for_link(server, false);
}

TEST(MemifServers, ClientsThatComeAndGoDoNotHurtABusyCore) {
  constexpr int kClients = 100;
  constexpr int kFrames = 2000;
  Server server;
  const BusyCore core(server.device());
  for (int i = 0; i < kClients; ++i) {
    Client client;
    wait_for_link(client, true);
    read(client.device(), kFrames);
  }
  wait_for_link(server, false);
}

TEST(MemifServers, ClientsThatGoBeforeTheySayAnythingDoNotHurt) {
  constexpr int kClients = 200;
  Server server;
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  memif_socket().string().copy(name.sun_path, sizeof name.sun_path - 1);
  for (int i = 0; i < kClients; ++i) {
    const Descriptor client(socket(AF_UNIX, SOCK_SEQPACKET, 0));
    ASSERT_EQ(connect(client.number(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  }
  Client client;
  wait_for_link(server, true);
}

}  // namespace
}  // namespace ina::ports
