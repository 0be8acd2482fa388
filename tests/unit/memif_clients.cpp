// SPDX-License-Identifier: BSD-3-Clause
// Servers of a memif client start late, and disappear while the client's core is running.
#include "hw/dpdk/ports/memif_clients.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

#include "tests/unit/support/memif_end.hpp"

namespace ina::ports {
namespace {

constexpr std::chrono::milliseconds kLong(100);

/// A client like those in the programs.
class Client : public MemifEnd {
 public:
  Client() : MemifEnd(device_of_driver()) {}

  LinkUse& use() { return *MemifClients::of_process().use_of("net_memif1"); }

 private:
  static std::string device_of_driver() {
    DeviceSpec spec = DeviceSpec::parse(memif_device("net_memif1", "client"));
    spec.set("socket", MemifClients::of_process().add(MemifDevice::check(spec)));
    spec.set("socket-abstract", "yes");
    return spec.text();
  }
};

class Server : public MemifEnd {
 public:
  Server() : MemifEnd(memif_device("net_memif0", "server")) {}
};

TEST(MemifClients, AClientWaitsForItsServer) {
  Client client;
  std::this_thread::sleep_for(kLong);
  EXPECT_FALSE(client.device().link_is_up());
  Server server;
  wait_for_link(client, true);
  wait_for_link(server, true);
}

TEST(MemifClients, AClientFindsTheNextServerAfterTheFirstHasGone) {
  Client client;
  for (int i = 0; i < 20; ++i) {
    auto server = std::make_unique<Server>();
    wait_for_link(client, true);
    wait_for_link(*server, true);
    server.reset();
    wait_for_link(client, false);
  }
}

TEST(MemifClients, ALinkStaysWhileItsCoreIsInTheDriverThoughTheServerHasGone) {
  Client client;
  {
    Server server;
    wait_for_link(client, true);
    wait_for_link(server, true);
    // The last message of the connection may still be in transit.
    while (!client.use().begin()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::this_thread::sleep_for(kLong);
  EXPECT_TRUE(client.device().link_is_up());
  client.use().end();
  wait_for_link(client, false);
}

TEST(MemifClients, AClientMayCloseBeforeAServerIsThereAndOpenAgain) {
  for (int i = 0; i < 20; ++i) Client();
  Client client;
  Server server;
  wait_for_link(client, true);
}

}  // namespace
}  // namespace ina::ports
