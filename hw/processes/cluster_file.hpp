// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "hw/cluster/spec/spec.hpp"
#include "hw/cluster/systems/all.hpp"

namespace ina::processes {

/// Reads a cluster file. Throws InputError with the path and the reason.
cluster::Spec read_cluster_file(const std::string& path, const cluster::SettingsFields& settings =
                                                             cluster::settings_on_hosts());

}  // namespace ina::processes
