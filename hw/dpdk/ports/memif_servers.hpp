// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hw/dpdk/ports/link_use.hpp"
#include "hw/dpdk/ports/memif_device.hpp"

namespace ina::ports {

/// The memif devices of this process that are servers, until the process ends.
///
/// DPDK's driver maps a link's memory when the other end says so, and unmaps it when that has gone
/// away, in a thread of its own, with a core in the middle of it or not; it tells nobody before.
/// So it gets a socket that nobody else knows, and a thread of ours has the one to which clients
/// connect: it passes on what they send, message by message, and their end, while the link's core
/// is out of the driver. What the driver sends is passed on as it comes.
class MemifServers {
 public:
  static MemifServers& of_process();

  /// Notes a server, whose driver is to listen at of_driver(socket).
  void add(const MemifDevice& server);
  /// Lets clients connect to those added since, which the driver has. Throws PortError.
  void open();
  /// The use of the device of that name; none if it is no such server.
  LinkUse* use_of(const std::string& name);
  /// Lets nobody connect to its socket any more, if it was the last one there. Before the driver
  /// closes it.
  void close(const std::string& name);

 private:
  class Socket;
  struct Link;

  MemifServers() = default;
  ~MemifServers() = default;

  std::mutex mutex_;
  std::vector<std::shared_ptr<Socket>> sockets_;
};

}  // namespace ina::ports
