// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hw/dpdk/ports/link_use.hpp"
#include "hw/dpdk/ports/memif_device.hpp"

namespace ina::ports {

/// Connects clients to the memif servers of this process, until the process ends.
///
/// DPDK's driver maps a link's memory when the other end asks for it and unmaps it when the other
/// end has gone away. It does so in its own thread, without notice, even while a core is using the
/// link. The driver therefore listens at a private socket, and clients connect to a socket that a
/// thread of this class serves. The thread forwards the clients' messages, and the end of their
/// connections, one by one while the link's core is out of the driver. Messages of the driver are
/// forwarded at once.
class MemifServers {
 public:
  static MemifServers& of_process();

  /// Adds a server. Its driver must listen at of_driver(socket).
  void add(const MemifDevice& server);
  /// Opens the sockets for the clients of the servers that were added since the last call. Call
  /// this once the drivers listen at their private sockets. Throws PortError.
  void open();
  /// The LinkUse of the named device; null if the device is not a memif server.
  LinkUse* use_of(const std::string& name);
  /// Closes the device's socket to new clients if no other device shares it. Call this before the
  /// driver closes the device.
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
