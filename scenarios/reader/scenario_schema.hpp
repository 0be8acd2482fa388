// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ina::scenarios {

/// JSON Schema of scenario files (scenarios/scenario.schema.json). Its keys are in the order in
/// which visit_scenario() visits the fields.
std::string scenario_schema();

}  // namespace ina::scenarios
