// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "hw/fields/strict_json.hpp"

namespace ina::results {

/// The tables of runs that somebody else has made, as texts by their names. `reported`:
///   {"columns": [...], "runs": [{"cells": [...], "jobs": [...], "training": [...],
///                                "switch": [...], "links": [...]}, ...]}
/// with the names of the columns that name a run, the cells of each, and its rows by the keys of
/// rows.hpp. `training` has what each process of a worker reported, as it wrote it
/// (reported_training.hpp): iterations.csv is made of that, and of a job what it began, ended and
/// went through. `file`: its name, for messages. Throws fields::InputError.
fields::Json tables_of(const fields::Json& reported, const std::string& file);

}  // namespace ina::results
