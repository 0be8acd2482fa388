// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "switch-models/software/order_listener.hpp"
#include "switch-models/software/switch_core.hpp"

namespace ina::software {

using SwitchCores = std::vector<std::unique_ptr<SwitchCore>>;

/// Reports the counters of a switch process. Call this after its cores have stopped. The counters
/// of a job are sums over all ids that the job has had.
nlohmann::json report_of(const SwitchCores& cores, const std::vector<PortDevice>& devices,
                         const IdsOfJobs& jobs);

}  // namespace ina::software
