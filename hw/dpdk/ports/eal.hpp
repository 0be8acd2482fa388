// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hw/dpdk/ports/port_error.hpp"

namespace ina::ports {

/// DPDK's environment with the given devices and no others, on any of the processors that the
/// process may use, without hugepages unless asked for. The first one of a process starts DPDK,
/// which then runs until the process ends: its interrupt thread cannot be stopped, and would look
/// for what rte_eal_cleanup() frees. The virtual devices go with the Eal, and the next one, after
/// it, has its own.
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
  ~Eal();
  Eal(const Eal&) = delete;
  Eal& operator=(const Eal&) = delete;

 private:
  void plug_in(const std::vector<std::string>& devices);
  void unplug();

  std::vector<std::string> plugged_;  // virtual devices, by name
  bool registered_ = false;           // this thread, with DPDK
};

/// Arguments with which DPDK starts. They keep it away from every bus except for the named NICs;
/// without them it takes each device that it has a driver for. Virtual devices are plugged in when
/// it has started, since it cannot start again if one fails. Throws PortError.
std::vector<std::string> eal_arguments(const Eal::Config& config);

/// Throws PortError unless this process may use that many processors.
void check_cores(unsigned cores);

/// Calls `body(core)` for each of the Eal's cores at once, in this thread for core 0. Returns when
/// all have returned.
void run_on_cores(unsigned cores, const std::function<void(unsigned)>& body);

/// The name by which DPDK knows a device.
std::string name_of_device(const std::string& device);

}  // namespace ina::ports
