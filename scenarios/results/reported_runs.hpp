// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "hw/fields/strict_json.hpp"

namespace ina::results {

/// Builds the tables of runs that another program reports. Returns their texts by name. `reported`:
///   {"columns": [...], "runs": [{"cells": [...], "jobs": [...], "training": [...],
///                                "switch": [...], "links": [...]}, ...]}
/// "columns" names the columns that identify a run, and "cells" has their values. "jobs", "switch"
/// and "links" have table rows with the keys of rows.hpp. "training" has the reports of workers
/// (reported_training.hpp), from which iterations.csv and the times in jobs.csv are computed.
/// `file`: file name for messages. Throws fields::InputError.
fields::Json tables_of(const fields::Json& reported, const std::string& file);

}  // namespace ina::results
