// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/systems/switchml.hpp"

#include "switch-models/programs/declarations.hpp"
#include "switch-models/programs/make_program.hpp"
#include "switch-models/programs/value_passes.hpp"

namespace ina::systems {

std::unique_ptr<programs::SwitchProgram> Switchml::make_program(const ProgramUse& use) const {
  const std::size_t pairs = aggregators(use.jobs);
  return programs::in_mode(use.run, [&]<class Mode>() {
    return programs::make_switchml<Mode>(pairs, use.carried_values, congestion_control);
  });
}

DataPlane Switchml::data_plane() const {
  using Exit = rmt::Verdict::Exit;
  return {
      .name = "switchml",
      .declare =
          [n = values, marks = congestion_control](std::size_t slot_pairs) {
            return programs::declare_switchml(slot_pairs, n, marks);
          },
      .aggregator_bytes = aggregator_bytes(),
      .values = values,
      .frame_bytes = frame_bytes(),
      .absorbed = {"is absorbed", programs::switchml_absorbed(frame_bytes())},
      .completing = {"completes a task", programs::switchml_answer(Exit::multicast, frame_bytes())},
      .others = {},
      .result_at_leaf = {"is a result", programs::switchml_stored(frame_bytes())}};
}

}  // namespace ina::systems
