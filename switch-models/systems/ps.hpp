// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/cluster/systems/ps.hpp"
#include "switch-models/systems/forwarding.hpp"

namespace ina::systems {

using Ps = Forwarding<cluster::Ps>;

}  // namespace ina::systems
