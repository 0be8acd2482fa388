// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/systems/ring.hpp"

#include "switch-models/systems/ps.hpp"

namespace ina::systems {

std::unique_ptr<programs::SwitchProgram> Ring::make_program(const ProgramUse& use) const {
  return Ps().make_program(use);
}

DataPlane Ring::data_plane() const {
  DataPlane plane = Ps().data_plane();
  plane.name = "ring";
  plane.values = values_per_packet();
  plane.frame_bytes = frame_bytes();
  return plane;
}

}  // namespace ina::systems
