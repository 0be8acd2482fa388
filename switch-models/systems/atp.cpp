// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/systems/atp.hpp"

#include "switch-models/programs/declarations.hpp"

namespace ina::systems {

std::unique_ptr<programs::SwitchProgram> Atp::make_program(const ProgramUse& use) const {
  programs::AtpConfig config = program;
  config.aggregators = worker.addressing.aggregators;
  config.width = use.carried_values;
  return programs::in_mode(use.run, [&]<class Mode>() { return programs::make_atp<Mode>(config); });
}

DataPlane Atp::data_plane() const {
  DataPlane plane = data_plane_of_fragments(wire::Format::atp, "atp", values_per_packet());
  plane.declare = [values = plane.values](std::size_t cells) {
    return programs::declare_atp(cells, programs::kTwoPasses, values);
  };
  return plane;
}

}  // namespace ina::systems
