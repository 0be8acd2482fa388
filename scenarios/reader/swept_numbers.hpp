// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "scenarios/reader/experiment.hpp"

namespace ina::scenarios {

/// Sets numbers and column of each axis whose values are all quantities of one kind with units
/// ("5MB", "2.5us"). The numbers are bytes, bits per second or microseconds. The column is named
/// after the shortest tail of the pointer, followed by the unit, that gives an unambiguous name:
/// /switch/memory_bytes becomes memory_bytes, and /topology/link/rate becomes rate_bps, but
/// /jobs/start becomes jobs_start_us, since jobs.csv already has a column start_us.
void number_axes(std::vector<SweepAxis>& axes);

}  // namespace ina::scenarios
