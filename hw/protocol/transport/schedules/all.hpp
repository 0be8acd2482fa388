// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tuple>

#include "hw/protocol/transport/schedules/double_tree.hpp"
#include "hw/protocol/transport/schedules/halving_doubling.hpp"
#include "hw/protocol/transport/schedules/ring.hpp"
#include "hw/protocol/transport/schedules/sharded.hpp"

namespace ina::schedules {

/// The all-reduces among workers. A schedule has its system's name in scenarios (kName), in prose
/// (kTitle) and in figures (kLabel). `steps(workers)` is the number of sequential packets per
/// result, and `make(rank, workers)` returns the schedule.
using All = std::tuple<Ring, HalvingDoubling, DoubleTree, Sharded>;

}  // namespace ina::schedules
