// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace ina::scenarios {

/// The JSON Schema of scenario files (scenarios/scenario.schema.json), in the order of the fields.
std::string scenario_schema();

}  // namespace ina::scenarios
