// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tuple>

#include "hw/protocol/transport/schedules/double_tree.hpp"
#include "hw/protocol/transport/schedules/halving_doubling.hpp"
#include "hw/protocol/transport/schedules/ring.hpp"
#include "hw/protocol/transport/schedules/sharded.hpp"

namespace ina::schedules {

/// The all-reduces among workers. A schedule defines the name of its system in scenarios (kName),
/// in prose (kTitle) and in figures (kLabel). `steps(workers)` is the number of sequential
/// transmissions that a result requires. `make(rank, workers)` returns a worker's PeerSchedule.
using All = std::tuple<Ring, HalvingDoubling, DoubleTree, Sharded>;

}  // namespace ina::schedules
