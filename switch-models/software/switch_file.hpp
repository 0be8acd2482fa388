// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hw/dpdk/endpoints/cluster.hpp"
#include "switch-models/software/software_switch.hpp"

namespace ina::software {

/// A switch in so many parts, one for each core.
using SwitchParts = std::vector<std::unique_ptr<SoftwareSwitch>>;

/// The switch that the content of a cluster file describes, with the ports of `hosts`, the faults
/// of their links and all jobs. Throws ina::endpoints::InputError.
SwitchParts read_switch(const endpoints::Fields& file, const endpoints::Cluster& cluster,
                        const std::vector<HostId>& hosts, unsigned parts);

}  // namespace ina::software
