// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/cluster/spec.hpp"
#include "scenarios/reader/scenario.hpp"

namespace ina::scenarios {

/// What a scenario with its sizes means for those who take part in a run of it. What is random in
/// it is drawn, by its seed. systems::all_settings() writes it. Everyone is at a
/// place alone, and parameter servers at that of their job's number.
cluster::Spec cluster_spec(const Scenario& scenario);

}  // namespace ina::scenarios
