// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/carrier.hpp"

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <string_view>

#include "hw/dpdk/ports/descriptor.hpp"

namespace ina::ports {

namespace {

/// Of an af_packet device.
std::string interface_of(const std::string& device) {
  constexpr std::string_view kKey = ",iface=";
  const std::size_t at = device.find(kKey);
  if (at == std::string::npos) return "";
  const std::size_t first = at + kKey.size();
  return device.substr(first, device.find(',', first) - first);
}

}  // namespace

bool has_carrier(const std::string& device) {
  if (!device.starts_with("net_af_packet")) return true;
  ifreq request{};
  interface_of(device).copy(request.ifr_name, IFNAMSIZ - 1);
  const Descriptor any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return ioctl(any.number(), SIOCGIFFLAGS, &request) == 0 && (request.ifr_flags & IFF_RUNNING) != 0;
}

}  // namespace ina::ports
