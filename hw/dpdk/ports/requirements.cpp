// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/requirements.hpp"

#include <fmt/format.h>
#include <linux/capability.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string.hpp>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string_view>
#include <vector>

namespace ina::ports {

namespace {

struct Need {
  const char* driver;
  unsigned capability;
  const char* name;
};
constexpr std::array<Need, 2> kNeeds = {
    {{"net_af_packet", CAP_NET_RAW, "CAP_NET_RAW"}, {"net_tap", CAP_NET_ADMIN, "CAP_NET_ADMIN"}}};

/// Free hugepages of one size.
struct Hugepages {
  std::uint64_t free = 0;
  std::string size;  // page size as in the mount options of hugetlbfs: "2M"
};

std::vector<Hugepages> free_hugepages(const std::filesystem::path& folder) {
  constexpr std::string_view kPrefix = "hugepages-";
  constexpr std::uint64_t kKilobytesPerMegabyte = 1024;
  std::vector<Hugepages> all;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    std::uint64_t free = 0;
    if (!(std::ifstream(entry.path() / "free_hugepages") >> free) || free == 0) continue;
    const std::string name = entry.path().filename().string();
    const std::uint64_t kilobytes = std::strtoull(name.c_str() + kPrefix.size(), nullptr, 10);
    all.push_back({free, kilobytes < kKilobytesPerMegabyte
                             ? fmt::format("{}K", kilobytes)
                             : fmt::format("{}M", kilobytes / kKilobytesPerMegabyte)});
  }
  return all;
}

/// Page sizes for which a hugetlbfs is mounted.
std::set<std::string> mounted_sizes(const std::filesystem::path& mounts) {
  constexpr std::string_view kSize = "pagesize=";
  std::set<std::string> sizes;
  std::ifstream file(mounts);
  std::string device;
  std::string folder;
  std::string type;
  std::string options;
  std::string rest;
  while (file >> device >> folder >> type >> options && std::getline(file, rest)) {
    if (type != "hugetlbfs") continue;
    std::vector<std::string> single;
    boost::split(single, options, boost::is_any_of(","));
    for (const std::string& option : single) {
      if (option.starts_with(kSize)) sizes.insert(option.substr(kSize.size()));
    }
  }
  return sizes;
}

/// Bit mask of the process's effective capabilities.
std::uint64_t effective_capabilities() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word && word != "CapEff:") continue;
  std::uint64_t capabilities = 0;
  status >> std::hex >> capabilities;
  return capabilities;
}

}  // namespace

void check_hugepages(const std::filesystem::path& folder, const std::filesystem::path& mounts) {
  const std::vector<Hugepages> pages = free_hugepages(folder);
  if (pages.empty()) {
    throw PortError(
        "--hugepages: found no free hugepages; allowed: reserved hugepages (sysctl "
        "vm.nr_hugepages=N), or no such option");
  }
  const std::set<std::string> mounted = mounted_sizes(mounts);
  if (std::ranges::any_of(pages, [&](const auto& one) { return mounted.contains(one.size); })) {
    return;
  }
  throw PortError(
      fmt::format("--hugepages: found {0} free hugepages of {1}, but no mounted hugetlbfs of this "
                  "page size; allowed: a mounted one (mkdir -p /dev/hugepages && mount -t "
                  "hugetlbfs -o pagesize={1} none /dev/hugepages), or no such option",
                  pages.front().free, pages.front().size));
}

void check_requirements(const Eal::Config& config) {
  if (config.hugepages) check_hugepages("/sys/kernel/mm/hugepages", "/proc/self/mounts");
  const std::uint64_t capabilities = effective_capabilities();
  for (const std::string& device : config.devices) {
    for (const Need& need : kNeeds) {
      if (!device.starts_with(need.driver) || (capabilities >> need.capability & 1U) != 0) continue;
      throw PortError(
          fmt::format("{}: no permission; allowed: a process with {}, as root or in a user "
                      "namespace with its own network namespace",
                      device, need.name));
    }
  }
}

}  // namespace ina::ports
