// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/cluster/control/control_plane.hpp"
#include "tests/exploration/archive.hpp"

namespace ina::exploration {

/// Visits the state between two steps, when no node is down and no action is planned. It is written
/// in the order of the workers' new ranks.
void visit(Archive& archive, cluster::ControlPlane& control);

}  // namespace ina::exploration
