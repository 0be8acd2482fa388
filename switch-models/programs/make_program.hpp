// SPDX-License-Identifier: BSD-3-Clause
// Makes the data-plane programs for who need not see into them, and so is not compiled again with
// them or with a policy. Mode: rmt::Fast or rmt::Checked (rmt/pass.hpp).
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
}  // namespace ina::rmt

namespace ina::programs {

/// Of a switch that adds up nothing: every frame of a job that it knows goes where it is addressed.
std::unique_ptr<SwitchProgram> make_forwarding();

/// `slots`: pairs, over all jobs; `width`: values carried per packet; `collects_marks`: a result
/// carries the ECN marks of all its contributions, as in ATP, and not of the last one alone.
template <class Mode = rmt::Fast>
std::unique_ptr<SwitchProgram> make_switchml(std::size_t slots, std::size_t width,
                                             bool collects_marks = false);

struct AtpConfig {
  std::size_t aggregators = 1;
  std::size_t width = wire::kFragmentValues;  ///< values carried per packet
  Time aggregator_expiry = kAggregatorExpiry;

  bool operator==(const AtpConfig&) const = default;
};

template <class Mode = rmt::Fast>
std::unique_ptr<SwitchProgram> make_atp(const AtpConfig& config);

struct DsaConfig {
  std::size_t aggregators = 1;
  std::size_t width = wire::kFragmentValues;  ///< values carried per packet
  policies::CollisionPolicy policy = policies::kDefaultPolicy;
  std::uint64_t policy_seed = 0;               ///< of a policy that draws
  Time aggregator_expiry = kAggregatorExpiry;  ///< with a policy that says kExpires
  JoinPriority join_priority = JoinPriority::keep;
  AnsweredBy answered_by = AnsweredBy::network_switch;

  bool operator==(const DsaConfig&) const = default;
};

template <class Mode = rmt::Fast>
std::unique_ptr<SwitchProgram> make_dsa(const DsaConfig& config);

}  // namespace ina::programs
