// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "hw/fields/strict_json.hpp"

namespace ina::results {

/// Builds the tables of runs that another program made, as texts by their names. `reported`:
///   {"columns": [...], "runs": [{"cells": [...], "jobs": [...], "training": [...],
///                                "switch": [...], "links": [...]}, ...]}
/// "columns" names the columns that identify a run. Each run has the cells of these columns and its
/// rows by the keys of rows.hpp. "training" holds the reports of worker processes
/// (reported_training.hpp), from which iterations.csv and the times of jobs.csv are computed.
/// `file`: name for messages. Throws fields::InputError.
fields::Json tables_of(const fields::Json& reported, const std::string& file);

}  // namespace ina::results
