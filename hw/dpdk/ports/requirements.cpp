// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/requirements.hpp"

#include <fmt/format.h>
#include <linux/capability.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>

namespace ina::ports {

namespace {

struct Need {
  const char* driver;
  unsigned capability;
  const char* name;
};
constexpr std::array<Need, 2> kNeeds = {
    {{"net_af_packet", CAP_NET_RAW, "CAP_NET_RAW"}, {"net_tap", CAP_NET_ADMIN, "CAP_NET_ADMIN"}}};

bool any_free_hugepage() {
  std::error_code none;
  for (const auto& size : std::filesystem::directory_iterator("/sys/kernel/mm/hugepages", none)) {
    std::uint64_t free = 0;
    if (std::ifstream(size.path() / "free_hugepages") >> free && free != 0) return true;
  }
  return false;
}

/// A bit each.
std::uint64_t effective_capabilities() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word && word != "CapEff:") continue;
  std::uint64_t capabilities = 0;
  status >> std::hex >> capabilities;
  return capabilities;
}

}  // namespace

void check_requirements(const Eal::Config& config) {
  if (config.hugepages && !any_free_hugepage()) {
    throw PortError(
        "--hugepages: none is free; allowed: some reserved (sysctl vm.nr_hugepages=N), or without "
        "this option");
  }
  const std::uint64_t capabilities = effective_capabilities();
  for (const std::string& device : config.devices) {
    for (const Need& need : kNeeds) {
      if (!device.starts_with(need.driver) || (capabilities >> need.capability & 1U) != 0) continue;
      throw PortError(
          fmt::format("{}: no permission; allowed: with {}, as root or in a user namespace with a "
                      "network of its own",
                      device, need.name));
    }
  }
}

}  // namespace ina::ports
