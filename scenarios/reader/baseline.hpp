// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "scenarios/reader/experiment.hpp"
#include "scenarios/reader/scenario_document.hpp"

namespace ina::scenarios {

/// Returns the variant or system that the key "baseline" names. Default: the system dsa if the
/// experiment has it, else the variant DSA if it exists, else nothing. `experiment` must have axes
/// and points. Throws InputError if the experiment has no variant or system of that name.
std::optional<Baseline> read_baseline(const ScenarioDocument& document,
                                      const Experiment& experiment);

}  // namespace ina::scenarios
