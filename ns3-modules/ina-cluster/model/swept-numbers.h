/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_SWEPT_NUMBERS_H
#define INA_SWEPT_NUMBERS_H

#include "experiment.h"

#include <vector>

namespace ns3
{

/**
 * Gives each axis whose values are all quantities with units of one kind ("5MB", "2.5us") their
 * numbers, in bytes, bits per second or microseconds, and a name for their column: the shortest
 * tail of its pointer, with the unit behind, that no other column and no other such axis could
 * have: /switch/memory_bytes is memory_bytes, /topology/link/rate is rate_bps, /jobs/start is
 * jobs_start_us, for jobs have a start_us themselves.
 */
void NumberAxes(std::vector<SweepAxis>& axes);

} // namespace ns3

#endif // INA_SWEPT_NUMBERS_H
