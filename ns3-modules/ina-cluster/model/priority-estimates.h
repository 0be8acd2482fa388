/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef INA_PRIORITY_ESTIMATES_H
#define INA_PRIORITY_ESTIMATES_H

#include "scenario.h"

#include "hw/protocol/transport/priority_estimates.hpp"

#include <cstdint>

namespace ns3
{

/** What a worker that trains the model estimates before its first iteration. */
ina::PriorityEstimates EstimatesOf(const ModelProfile& profile,
                                   uint64_t lineRate_bps,
                                   ina::RemainingTime remaining);

} // namespace ns3

#endif // INA_PRIORITY_ESTIMATES_H
