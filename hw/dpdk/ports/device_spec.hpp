// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace ina::ports {

/// A DPDK device as an option names it: "net_memif0,role=client,id=3" or "0000:01:00.0".
struct DeviceSpec {
  struct Argument {
    std::string key;
    std::string value;
  };

  std::string name;
  std::vector<Argument> arguments;

  /// Throws PortError unless the text names a virtual device or the PCI address of a NIC, and each
  /// argument has a unique key and a value. An empty text, which DPDK reads as "any device", is
  /// rejected.
  static DeviceSpec parse(const std::string& text);

  bool is_virtual() const { return name.starts_with("net_"); }
  /// Value of an argument; null if there is no such argument.
  const std::string* find(const std::string& key) const;
  void set(const std::string& key, const std::string& value);
  /// The device in DPDK's syntax.
  std::string text() const;
};

}  // namespace ina::ports
