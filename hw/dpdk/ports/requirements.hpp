// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "hw/dpdk/ports/eal.hpp"

namespace ina::ports {

/// Throws PortError unless the host has what the configured hugepages and devices require. The
/// message names what is missing, since DPDK's own messages name no remedy.
void check_requirements(const Eal::Config& config);

/// Throws PortError unless a hugepage is free and a hugetlbfs of its size is mounted, since DPDK
/// needs both. `folder` has the layout of /sys/kernel/mm/hugepages, and `mounts` has the layout of
/// /proc/self/mounts.
void check_hugepages(const std::filesystem::path& folder, const std::filesystem::path& mounts);

}  // namespace ina::ports
