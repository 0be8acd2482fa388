// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>
#include <rte_dev.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "hw/dpdk/ports/device.hpp"
#include "hw/dpdk/ports/eal.hpp"
#include "tests/unit/support/private_folder.hpp"

namespace ina::ports {

inline constexpr wire::Format kFormat = wire::Format::dsa;

inline rte_mempool& buffers() {
  static const Eal eal({{"net_ring0"}});
  static rte_mempool& pool = make_mempool(2, 1);
  return pool;
}

inline std::filesystem::path memif_socket() {
  static const PrivateFolder folder;
  return folder.path() / "memif";
}

/// Device string in DPDK's syntax.
inline std::string memif_device(const std::string& name, const std::string& role) {
  return name + ",role=" + role + ",socket-abstract=no,socket=" + memif_socket().string();
}

/// One end of a memif link, which opens and closes with this object.
class MemifEnd {
 public:
  explicit MemifEnd(const std::string& device) : name_(name_of_device(device)) {
    buffers();
    const std::string arguments = device.substr(name_.size() + 1);
    EXPECT_EQ(rte_eal_hotplug_add("vdev", name_.c_str(), arguments.c_str()), 0);
    device_ = std::make_unique<Device>(device, kFormat, buffers());
  }
  ~MemifEnd() {
    device_.reset();
    EXPECT_EQ(rte_eal_hotplug_remove("vdev", name_.c_str()), 0);
  }
  MemifEnd(const MemifEnd&) = delete;
  MemifEnd& operator=(const MemifEnd&) = delete;

  Device& device() { return *device_; }

 private:
  std::string name_;
  std::unique_ptr<Device> device_;
};

inline void wait_for_link(MemifEnd& end, bool up) {
  while (end.device().link_is_up() != up) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace ina::ports
