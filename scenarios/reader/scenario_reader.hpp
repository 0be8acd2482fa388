// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "scenarios/keys/scenario.hpp"
#include "scenarios/reader/scenario_document.hpp"
#include "scenarios/reader/trace_files.hpp"

namespace ina::scenarios {

/// The scenario that a document describes, with every default filled in, checked; its seed, which
/// is the business of an experiment as are "seeds" and "sweep", is 1. Throws InputError.
Scenario read_scenario(const ScenarioDocument& document, TraceFiles& files);

/// The scenario as a file with every default filled in, profiles and compute-time factors included,
/// so that the file needs no other one. Reading it gives an experiment of one point: the same
/// scenario.
Json to_json(const Scenario& scenario);

}  // namespace ina::scenarios
