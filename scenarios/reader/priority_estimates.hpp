// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hw/protocol/transport/priority_estimates.hpp"
#include "scenarios/reader/scenario.hpp"

namespace ina::scenarios {

/// What a worker that trains the model estimates before its first iteration.
PriorityEstimates estimates_of(const ModelProfile& profile, uint64_t line_rate_bps,
                               RemainingTime remaining);

}  // namespace ina::scenarios
