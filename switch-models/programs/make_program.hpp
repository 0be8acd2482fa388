// SPDX-License-Identifier: BSD-3-Clause
// Functions that make data-plane programs. Code that uses them does not include the programs, so it
// is not recompiled when one changes. Mode: one of rmt/pass.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "hw/protocol/wire/limits.hpp"
#include "switch-models/policies/collision_policy.hpp"
#include "switch-models/programs/answered_by.hpp"
#include "switch-models/programs/join_priority.hpp"
#include "switch-models/programs/switch_program.hpp"

namespace ina::rmt {
struct Fast;
struct Checked;
struct Separate;
struct CheckedSeparate;
}  // namespace ina::rmt

namespace ina::programs {

/// How a program runs.
struct RunMode {
  bool checked = false;          ///< whether its passes are checked
  bool separate_passes = false;  ///< whether other packets may come between two passes
};

/// Calls `make.operator()<Mode>()` with the mode that `run` describes.
template <class Make>
std::unique_ptr<SwitchProgram> in_mode(const RunMode& run, Make&& make) {
  if (run.separate_passes) {
    return run.checked ? make.template operator()<rmt::CheckedSeparate>()
                       : make.template operator()<rmt::Separate>();
  }
  return run.checked ? make.template operator()<rmt::Checked>()
                     : make.template operator()<rmt::Fast>();
}

/// Program of a switch that adds nothing. It forwards each frame of a known job to its destination.
std::unique_ptr<SwitchProgram> make_forwarding();

/// `slots`: number of slots (each with two versions) of all jobs together; `width`: number of
/// values carried per packet; `collects_marks`: whether a result carries the ECN mark if any of its
/// contributions had it, as in ATP, and not only if the last one had it.
template <class Mode = rmt::Fast>
std::unique_ptr<SwitchProgram> make_switchml(std::size_t slots, std::size_t width,
                                             bool collects_marks = false);

struct AtpConfig {
  std::size_t aggregators = 1;
  std::size_t width = wire::kFragmentValues;  ///< number of values carried per packet
  Time aggregator_expiry = kAggregatorExpiry;

  bool operator==(const AtpConfig&) const = default;
};

template <class Mode = rmt::Fast>
std::unique_ptr<SwitchProgram> make_atp(const AtpConfig& config);

struct DsaConfig {
  std::size_t aggregators = 1;
  std::size_t width = wire::kFragmentValues;  ///< number of values carried per packet
  policies::CollisionPolicy policy = policies::kDefaultPolicy;
  std::uint64_t policy_seed = 0;               ///< for a policy with kDraws
  Time aggregator_expiry = kAggregatorExpiry;  ///< for a policy with kExpires
  JoinPriority join_priority = JoinPriority::keep;
  AnsweredBy answered_by = AnsweredBy::network_switch;

  bool operator==(const DsaConfig&) const = default;
};

template <class Mode = rmt::Fast>
std::unique_ptr<SwitchProgram> make_dsa(const DsaConfig& config);

}  // namespace ina::programs
