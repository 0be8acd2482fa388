// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hw/dpdk/ports/link_use.hpp"
#include "hw/dpdk/ports/memif_device.hpp"

namespace ina::ports {

/// The memif devices of this process that are clients.
///
/// DPDK's driver fails if the server is absent when the port starts. It also unmaps a link's memory
/// when the server goes away, even while the link's core is using it. The driver therefore connects
/// to a socket of this process. One thread per device connects to the server as soon as it is
/// available, and forwards messages only while the link's core is out of the driver, as
/// MemifServers does.
class MemifClients {
 public:
  static MemifClients& of_process();

  /// Adds a client. Returns the name of the abstract socket for its driver to connect to. Throws
  /// PortError.
  std::string add(const MemifDevice& client);
  /// The LinkUse of the named device; null if it is not a memif client.
  LinkUse* use_of(const std::string& name);
  /// Call this before the driver starts or restarts the port, and thereby connects.
  void begin(const std::string& name);
  /// Whether the connection that begin() announced has ended, so that the port must be restarted to
  /// reconnect. False if the device is not a memif client.
  bool has_ended(const std::string& name);
  /// Removes the device, after the driver has closed it.
  void close(const std::string& name);

 private:
  class Relay;

  MemifClients() = default;
  ~MemifClients() = default;
  std::shared_ptr<Relay> relay_of(const std::string& name);

  std::mutex mutex_;
  std::vector<std::shared_ptr<Relay>> relays_;
};

}  // namespace ina::ports
