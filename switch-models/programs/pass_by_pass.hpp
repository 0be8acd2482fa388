// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switch-models/programs/switch_program.hpp"
#include "switch-models/rmt/pass.hpp"

namespace ina::programs {

/// Base of programs whose passes run at once or separately, as Mode says. Program has
///   rmt::Verdict first_pass(rmt::Pass<Mode>&, Frame&, Time now);
///   rmt::Verdict further_pass(rmt::Pass<Mode>&, Frame&, Time now);
/// In a mode with separate passes, first_pass() is a packet's first pass. It requests the next one
/// by its verdict and carry.step, and further_pass() runs that. In other modes, first_pass() does
/// the work of all passes, and further_pass() is not used.
template <class Program, class Mode>
class PassByPass : public SwitchProgram {
 public:
  bool separates_passes() const final { return rmt::kIsSeparate<Mode>; }

  rmt::Verdict process(Frame& frame, Time now) final {
    if constexpr (rmt::kIsSeparate<Mode>) {
      return all_passes(frame, now);
    } else {
      rmt::Pass<Mode> pass;
      return program().first_pass(pass, frame, now);
    }
  }

  rmt::Verdict pass(Frame& frame, rmt::Carry& carry, Time now) final {
    if constexpr (rmt::kIsSeparate<Mode>) {
      rmt::Pass<Mode> pass;
      pass.carry = carry;
      const rmt::Verdict verdict = carry.step == 0 ? program().first_pass(pass, frame, now)
                                                   : program().further_pass(pass, frame, now);
      carry = pass.carry;
      return verdict;
    } else {
      return process(frame, now);
    }
  }

 private:
  Program& program() { return static_cast<Program&>(*this); }
};

}  // namespace ina::programs
