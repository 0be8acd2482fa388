// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/fields/strict_json.hpp"

namespace ina::results {

/// Columns of all result tables, without those that identify the run:
///   {"jobs.csv": [{"name": "job", "help": "Number of the job"}, ...], ...}
fields::Json column_list();

}  // namespace ina::results
