// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/systems/dsa.hpp"

#include <string>

#include "switch-models/programs/declarations.hpp"
#include "switch-models/programs/value_passes.hpp"

namespace ina::systems {

std::unique_ptr<programs::SwitchProgram> Dsa::make_program(const ProgramUse& use) const {
  programs::DsaConfig config = program;
  config.aggregators = worker.addressing.aggregators;
  config.width = use.carried_values;
  config.policy_seed += use.part;
  return programs::in_mode(use.run, [&]<class Mode>() { return programs::make_dsa<Mode>(config); });
}

DataPlane Dsa::data_plane() const {
  DataPlane plane = data_plane_of_fragments(
      wire::Format::dsa, "dsa, policy " + std::string(policies::name_of(program.policy)),
      values_per_packet());
  plane.declare = [needs = policies::needs_of(program.policy), join = program.join_priority,
                   values = plane.values](std::size_t cells) {
    return programs::declare_dsa(cells, needs, join, programs::kTwoPasses, values);
  };
  plane.others.push_back({"preempts", programs::swapped(plane.frame_bytes)});
  return plane;
}

}  // namespace ina::systems
