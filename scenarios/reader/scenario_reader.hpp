// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "scenarios/keys/scenario.hpp"
#include "scenarios/reader/scenario_document.hpp"
#include "scenarios/reader/trace_files.hpp"

namespace ina::scenarios {

/// The checked scenario of a document, with every default filled in. Its seed is 1, and "sweep" is
/// ignored: read_experiment() handles seeds and sweeps. Throws InputError.
Scenario read_scenario(const ScenarioDocument& document, TraceFiles& files);

/// Writes the scenario as a self-contained file with all defaults, profiles and compute-time
/// factors. Reading that file yields an experiment of one point with the same scenario.
Json to_json(const Scenario& scenario);

}  // namespace ina::scenarios
