// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hw/dpdk/ports/port_error.hpp"

namespace ina::ports {

/// DPDK's environment, from here until the process ends: its interrupt thread cannot be stopped,
/// and would look for what rte_eal_cleanup() frees. Without hugepages unless asked for, with the
/// given devices and no others, on any of the processors that the process may use.
class Eal {
 public:
  struct Config {
    /// Devices as DPDK writes them: "net_memif0,role=client,...", "net_af_packet0,iface=eth0", or
    /// the PCI address of a NIC.
    std::vector<std::string> devices;
    bool hugepages = false;
    unsigned cores = 1;
    /// Gives each core a processor of its own, if the process may use as many as it has cores.
    bool pinned = false;
  };

  /// Throws PortError with what DPDK had to say.
  explicit Eal(const Config& config);
  Eal(const Eal&) = delete;
  Eal& operator=(const Eal&) = delete;
};

/// What DPDK gets to start with. It leaves every bus alone but for the named devices: without these
/// arguments it takes each NIC that it has a driver for. Throws PortError.
std::vector<std::string> eal_arguments(const Eal::Config& config);

/// Throws PortError unless this process may use that many processors.
void check_cores(unsigned cores);

/// Calls `body(core)` for each of the Eal's cores at once, in this thread for core 0. Returns when
/// all have returned.
void run_on_cores(unsigned cores, const std::function<void(unsigned)>& body);

/// The name by which DPDK knows a device.
std::string name_of_device(const std::string& device);

}  // namespace ina::ports
