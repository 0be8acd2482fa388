// SPDX-License-Identifier: BSD-3-Clause
#include "hw/dpdk/ports/carrier.hpp"

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "hw/dpdk/ports/descriptor.hpp"
#include "hw/dpdk/ports/device_spec.hpp"

namespace ina::ports {

bool has_carrier(const std::string& device) {
  if (!device.starts_with("net_af_packet")) return true;
  const DeviceSpec spec = DeviceSpec::parse(device);
  const std::string* const interface = spec.find("iface");
  if (interface == nullptr) return false;
  ifreq request{};
  interface->copy(request.ifr_name, IFNAMSIZ - 1);
  const Descriptor any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return ioctl(any.number(), SIOCGIFFLAGS, &request) == 0 && (request.ifr_flags & IFF_RUNNING) != 0;
}

}  // namespace ina::ports
