// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/fields/strict_json.hpp"

namespace ina::results {

/// Traits of the systems that other languages have to know, as analysis/systems.json.
fields::Json system_list();

}  // namespace ina::results
