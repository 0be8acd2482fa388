// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/fields/strict_json.hpp"

namespace ina::results {

/// Traits of all systems for programs in other languages, as in analysis/systems.json.
fields::Json system_list();

}  // namespace ina::results
