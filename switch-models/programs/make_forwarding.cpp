// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/programs/make_program.hpp"

namespace ina::programs {

namespace {

class ForwardingProgram final : public SwitchProgram {
 public:
  rmt::Verdict process(Frame& frame, Time) override {
    return job_entry(frame.job).workers == 0 ? reject() : forward(frame);
  }
};

}  // namespace

std::unique_ptr<SwitchProgram> make_forwarding() { return std::make_unique<ForwardingProgram>(); }

}  // namespace ina::programs
