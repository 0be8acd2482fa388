// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/cluster/systems/tree.hpp"
#include "switch-models/systems/forwarding.hpp"

namespace ina::systems {

using Tree = Forwarding<cluster::Tree>;

}  // namespace ina::systems
