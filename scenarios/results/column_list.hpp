// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/fields/strict_json.hpp"

namespace ina::results {

/// The columns of all result tables, except those that name the point:
///   {"jobs.csv": [{"name": "job", "help": "Number of the job"}, ...], ...}
fields::Json column_list();

}  // namespace ina::results
