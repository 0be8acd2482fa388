// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/systems/ps.hpp"

namespace ina::systems {

namespace {

/// Every frame goes where it is addressed.
class ForwardingProgram final : public programs::SwitchProgram {
 public:
  rmt::Verdict process(Frame& frame, Time) override {
    return job_entry(frame.job).workers == 0 ? reject() : programs::forward(frame);
  }
};

}  // namespace

std::unique_ptr<programs::SwitchProgram> Ps::make_program(const ProgramUse&) const {
  return std::make_unique<ForwardingProgram>();
}

DataPlane Ps::data_plane() const {
  return {.name = "ps",
          .declare = [](std::size_t) { return rmt::Declaration(); },
          .aggregator_bytes = aggregator_bytes(),
          .values = wire::kFragmentValues,
          .frame_bytes = frame_bytes(),
          .absorbed = {"is forwarded", rmt::kForward},
          .completing = {"is forwarded", rmt::kForward},
          .others = {},
          .result_at_leaf = {}};
}

}  // namespace ina::systems
