// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "switch-models/software/switch_core.hpp"

namespace ina::software {

using SwitchCores = std::vector<std::unique_ptr<SwitchCore>>;

/// The counters of a switch process with so many jobs, when its cores are at rest.
nlohmann::json report_of(const SwitchCores& cores, const std::vector<PortDevice>& devices,
                         std::size_t jobs);

}  // namespace ina::software
