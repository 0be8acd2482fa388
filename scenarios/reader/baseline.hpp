// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "scenarios/reader/experiment.hpp"
#include "scenarios/reader/scenario_document.hpp"

namespace ina::scenarios {

/// The variant or system that the key "baseline" names; `experiment` has its axes and points. By
/// default, the system dsa, or else the variant DSA; empty if there is neither. Throws InputError
/// if the experiment has no variant and no system of that name.
std::optional<Baseline> read_baseline(const ScenarioDocument& document,
                                      const Experiment& experiment);

}  // namespace ina::scenarios
