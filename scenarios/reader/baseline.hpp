// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "scenarios/reader/experiment.hpp"
#include "scenarios/reader/scenario_document.hpp"

namespace ina::scenarios {

/// Returns the variant or system that the key "baseline" names. By default it is the system dsa or,
/// if that is not compared, the variant DSA, or otherwise nothing. `experiment` must have its axes
/// and points. Throws InputError if the experiment has no variant or system of that name.
std::optional<Baseline> read_baseline(const ScenarioDocument& document,
                                      const Experiment& experiment);

}  // namespace ina::scenarios
