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
/// frees. When an Eal ends, its virtual devices are removed. A later Eal plugs in its own devices.
class Eal {
 public:
  struct Config {
    /// Devices in DPDK's syntax: "net_memif0,role=client,...", "net_af_packet0,iface=eth0", or the
    /// PCI address of a NIC.
    std::vector<std::string> devices;
    bool hugepages = false;
    unsigned cores = 1;
    /// Whether to pin each core to its own processor. Ignored unless the process may use exactly
    /// `cores` processors.
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

/// Arguments with which DPDK starts. They exclude all hardware but the NICs in the configuration,
/// since DPDK otherwise takes every device for which it has a driver. They do not name the virtual
/// devices: if one failed, DPDK could not start again, so these are added later. Throws PortError.
std::vector<std::string> eal_arguments(const Eal::Config& config);

/// Throws PortError unless this process may use at least `cores` processors.
void check_cores(unsigned cores);

/// Calls `body(core)` for all cores of the Eal concurrently; core 0 is this thread. Returns when
/// all calls have returned.
void run_on_cores(unsigned cores, const std::function<void(unsigned)>& body);

/// DPDK's name of a device.
std::string name_of_device(const std::string& device);

}  // namespace ina::ports
