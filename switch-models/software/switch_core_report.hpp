// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "switch-models/software/order_listener.hpp"
#include "switch-models/software/switch_core.hpp"

namespace ina::software {

using SwitchCores = std::vector<std::unique_ptr<SwitchCore>>;

/// The counters of a switch process after its cores have stopped. A job's counters are summed over
/// all of its ids.
nlohmann::json report_of(const SwitchCores& cores, const std::vector<PortDevice>& devices,
                         const IdsOfJobs& jobs);

}  // namespace ina::software
