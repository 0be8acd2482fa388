// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/fields/strict_json.hpp"

namespace ina::results {

/// What other languages have to know of the systems, as analysis/systems.json.
fields::Json system_list();

}  // namespace ina::results
