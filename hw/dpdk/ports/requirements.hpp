// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "hw/dpdk/ports/eal.hpp"

namespace ina::ports {

/// What hugepages and devices need of the machine, asked before DPDK fails at it in words that only
/// its authors know. Throws PortError with what is missing.
void check_requirements(const Eal::Config& config);

/// Throws PortError unless a hugepage is free and a hugetlbfs of its size is mounted, without which
/// DPDK cannot use it. `folder` has the form of /sys/kernel/mm/hugepages, `mounts` that of
/// /proc/self/mounts.
void check_hugepages(const std::filesystem::path& folder, const std::filesystem::path& mounts);

}  // namespace ina::ports
