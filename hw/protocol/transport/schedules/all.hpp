// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tuple>

#include "hw/protocol/transport/schedules/double_tree.hpp"
#include "hw/protocol/transport/schedules/halving_doubling.hpp"
#include "hw/protocol/transport/schedules/ring.hpp"
#include "hw/protocol/transport/schedules/sharded.hpp"

namespace ina::schedules {

/// The all-reduces among workers. A schedule has its system's name in scenarios (kName), in
/// prose (kTitle) and in figures (kLabel), `steps(workers)`: packets one after the other until a
/// result is there, and `make(rank, workers)`.
using All = std::tuple<Ring, HalvingDoubling, DoubleTree, Sharded>;

}  // namespace ina::schedules
