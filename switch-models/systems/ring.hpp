// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/cluster/systems/ring.hpp"
#include "switch-models/systems/forwarding.hpp"

namespace ina::systems {

using Ring = Forwarding<cluster::Ring>;

}  // namespace ina::systems
