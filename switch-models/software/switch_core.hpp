// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/dpdk/ports/port.hpp"
#include "hw/dpdk/ports/program.hpp"
#include "switch-models/software/registrations.hpp"
#include "switch-models/software/software_switch.hpp"

namespace ina::software {

/// The network device of one port, and the peer at the other end of its link.
struct PortDevice {
  std::string peer;  ///< as in --port
  std::unique_ptr<ports::Device> device;
};

/// One core of a switch process: moves frames between its part of the switch and all ports.
class SwitchCore {
 public:
  /// `rings`: null if there is only one core. `values`: storage for the values of frames, which
  /// must outlive `part`.
  SwitchCore(unsigned core, wire::Format format, SoftwareSwitch& part, ValuePool& values,
             const std::vector<PortDevice>& devices, ports::BufferRings* rings);

  /// Makes this core handle registrations. Only one core may: the one that receives all
  /// registration messages.
  void handle(Registrations& registrations);

  /// Moves the frames that are ready, and returns their number.
  std::size_t step(Time now);
  void print_stats(Time now) const;

  const SoftwareSwitch& part() const { return part_; }
  const ports::PortCounters& counters(std::size_t device) const {
    return ports_[device]->counters();
  }

 private:
  std::size_t receive(Time now);
  void send_registrations();
  PortIndex ports_end() const { return static_cast<PortIndex>(ports_.size()); }

  std::string name_;  // in statistics
  SoftwareSwitch& part_;
  Registrations* registrations_ = nullptr;
  Time now_{};                               // time of the current step
  std::vector<ports::Device*> own_devices_;  // devices that this core owns
  ports::Every look_at_links_;
  std::optional<ports::Steering> steering_;
  std::vector<std::string> peers_;                   // in the order of the devices, as the next
                                                     // member is
  std::vector<std::unique_ptr<ports::Port>> ports_;  // by PortIndex
  std::vector<PortIndex> by_id_;                     // indexed by DPDK's numbers of the devices
};

}  // namespace ina::software
