// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ina::ports {

/// Whether the network interface of a device such as "net_af_packet0,iface=eth0" has a carrier,
/// which DPDK's driver does not report. Always true for devices of other drivers.
bool has_carrier(const std::string& device);

}  // namespace ina::ports
