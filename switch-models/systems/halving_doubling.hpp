// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/cluster/systems/halving_doubling.hpp"
#include "switch-models/systems/forwarding.hpp"

namespace ina::systems {

using HalvingDoubling = Forwarding<cluster::HalvingDoubling>;

}  // namespace ina::systems
