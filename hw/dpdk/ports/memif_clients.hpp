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
/// DPDK's driver fails if the server is not there when the port starts, and unmaps a link's memory
/// when the server goes away, whether the link's core is using it or not. The driver therefore
/// connects to a socket of this process. A thread for each device connects to the server as soon as
/// that is there, and passes messages on while the link's core is out of the driver, as
/// MemifServers do.
class MemifClients {
 public:
  static MemifClients& of_process();

  /// Notes a client. Returns the name of the abstract socket to which its driver is to connect.
  /// Throws PortError.
  std::string add(const MemifDevice& client);
  /// The use of the device of that name; none if it is not such a client.
  LinkUse* use_of(const std::string& name);
  /// Before the driver starts or restarts the port, and so connects.
  void begin(const std::string& name);
  /// Whether the connection that began has ended, so that the port has to be restarted to connect
  /// again. False if the device is not such a client.
  bool has_ended(const std::string& name);
  /// Forgets the device, after the driver has closed it.
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
