// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hw/dpdk/ports/port_error.hpp"

namespace ina::ports {

/// DPDK's environment with exactly the given devices, on any processors that the process may use,
/// and by default without hugepages. The first Eal of a process starts DPDK, which then runs until
/// the process ends: its interrupt thread cannot be stopped and would access what rte_eal_cleanup()
/// frees. Virtual devices are removed with the Eal, and a later Eal has its own.
class Eal {
 public:
  struct Config {
    /// Devices in DPDK's syntax: "net_memif0,role=client,...", "net_af_packet0,iface=eth0", or the
    /// PCI address of a NIC.
    std::vector<std::string> devices;
    bool hugepages = false;
    unsigned cores = 1;
    /// Whether to pin each core to its own processor. Ignored unless the process may use exactly as
    /// many processors as it has cores.
    bool pinned = false;
  };

  /// Throws PortError with DPDK's reason.
  explicit Eal(const Config& config);
  ~Eal();
  Eal(const Eal&) = delete;
  Eal& operator=(const Eal&) = delete;

 private:
  void plug_in(const std::vector<std::string>& devices);
  void unplug();

  std::vector<std::string> plugged_;  // names of virtual devices
  bool registered_ = false;           // whether this thread is registered with DPDK
};

/// Arguments with which DPDK starts. They exclude every bus except for the named NICs, since DPDK
/// otherwise takes each device that it has a driver for. Virtual devices are not among them: they
/// are plugged in later, because DPDK cannot start again if one fails. Throws PortError.
std::vector<std::string> eal_arguments(const Eal::Config& config);

/// Throws PortError unless this process may use that many processors.
void check_cores(unsigned cores);

/// Calls `body(core)` for all cores of the Eal concurrently; core 0 is this thread. Returns when
/// all calls have returned.
void run_on_cores(unsigned cores, const std::function<void(unsigned)>& body);

/// DPDK's name of a device.
std::string name_of_device(const std::string& device);

}  // namespace ina::ports
