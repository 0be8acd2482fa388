// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/dpdk/ports/eal.hpp"

namespace ina::ports {

/// What hugepages and devices need of the machine, asked before DPDK fails at it in words that only
/// its authors know. Throws PortError with what is missing.
void check_requirements(const Eal::Config& config);

}  // namespace ina::ports
