// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "scenarios/reader/experiment.hpp"

namespace ina::scenarios {

/// Sets `numbers` and `column` of each axis whose values are all quantities of one kind with units
/// ("5MB", "2.5us"). Sizes may also be integers if one of them has a unit. The numbers are bytes,
/// bits per second or microseconds. The name of the column is the end of the pointer, as short as
/// it can be without ambiguity, followed by the unit:
/// /switch/memory_bytes becomes memory_bytes, and /topology/link/rate becomes rate_bps, but
/// /jobs/start becomes jobs_start_us, since jobs.csv already has a column start_us.
void number_axes(std::vector<SweepAxis>& axes);

}  // namespace ina::scenarios
