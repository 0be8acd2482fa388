// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ostream>
#include <span>

#include "tests/campaigns/campaign.hpp"

namespace ina::campaigns {

/// A mistake that the campaigns must find, and a part of the failure that they must report.
/// Mistakes in the switch, or where a worker receives frames, are the explorer's mutants, with any
/// policy. Other mistakes in a worker or its training loop change the calls of its transport.
/// Mistakes in the control plane change the calls of its world.
struct Mistake {
  testing::SystemId system;
  const char* mutant;
  const char* failure;
  MakeWorker make_worker = nullptr;
  testing::MakeControlMistake make_control_mistake = nullptr;
};

inline void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.mutant; }

std::span<const Mistake> mistakes();
/// Setting of a run with this mistake.
Setting setting_with(const Mistake& mistake);

}  // namespace ina::campaigns
