// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/cluster/systems/byteps.hpp"
#include "switch-models/systems/forwarding.hpp"

namespace ina::systems {

using Byteps = Forwarding<cluster::Byteps>;

}  // namespace ina::systems
