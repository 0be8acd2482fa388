// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "hw/fields/strict_json.hpp"

namespace ina::results {

/// The tables of runs that somebody else has made, as texts by their names. `reported`:
///   {"columns": [...], "runs": [{"cells": [...], "jobs": [...], "iterations": [...],
///                                "switch": [...], "links": [...]}, ...]}
/// with the names of the columns that name a run, the cells of each, and its rows by the keys of
/// rows.hpp, the iterations of a job in order. `file`: its name, for messages. Throws
/// fields::InputError.
fields::Json tables_of(const fields::Json& reported, const std::string& file);

}  // namespace ina::results
