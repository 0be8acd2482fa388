// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ostream>
#include <span>

#include "tests/campaigns/campaign.hpp"

namespace ina::campaigns {

/// A mistake that the campaigns find, and a part of what they find of it. In the switch
/// or where a worker takes frames: one of the explorer's mutants, whatever its policy. Elsewhere in
/// a worker and in the training loop: what it does to its transport. In the control plane: what it
/// does to its world.
struct Mistake {
  testing::SystemId system;
  const char* mutant;
  const char* failure;
  MakeWorker make_worker = nullptr;
  testing::MakeControlMistake make_control_mistake = nullptr;
};

inline void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.mutant; }

std::span<const Mistake> mistakes();
/// A run with the mistake.
Setting setting_with(const Mistake& mistake);

}  // namespace ina::campaigns
