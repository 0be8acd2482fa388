// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ina::ports {

/// Whether the network interface of a device such as "net_af_packet0,iface=eth0" has a carrier.
/// DPDK's af_packet driver does not report this. Always true for devices of other drivers.
bool has_carrier(const std::string& device);

}  // namespace ina::ports
