// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "scenarios/reader/experiment.hpp"

namespace ina::scenarios {

/// Gives each axis whose values are all quantities with units of one kind ("5MB", "2.5us") their
/// numbers, in bytes, bits per second or microseconds, and a name for their column: the shortest
/// tail of its pointer, with the unit behind, that no other column and no other such axis could
/// have: /switch/memory_bytes is memory_bytes, /topology/link/rate is rate_bps, /jobs/start is
/// jobs_start_us, for jobs have a start_us themselves.
void number_axes(std::vector<SweepAxis>& axes);

}  // namespace ina::scenarios
