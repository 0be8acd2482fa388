// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/cluster/systems/dsa.hpp"
#include "switch-models/policies/visit_policy.hpp"
#include "switch-models/programs/make_program.hpp"
#include "switch-models/systems/switch_half.hpp"

namespace ina::systems {

class Dsa final : public cluster::Dsa, public SwitchHalf {
 public:
  programs::DsaConfig program;

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& self) {
    policies::visit_policy(visitor, "policy", self.program.policy,
                           "Who keeps an aggregator on a collision");
    cluster::Dsa::visit(visitor, self);
    visitor.choice(
        "join_priority", self.program.join_priority,
        fields::names_in_order<programs::JoinPriority>(programs::kJoinPriorityNames),
        "What a packet that is added up in its task's aggregator does to the aggregator's "
        "priority, which collisions have halved: keep it, or raise it to its own");
    visitor.time(
        "aggregator_expiry", self.program.aggregator_expiry, fields::kTimeout,
        "Age from which a packet of another task takes an aggregator, with a policy that never "
        "preempts, as fcfs");
  }

  void fill_in(const cluster::Environment& environment) override {
    cluster::Dsa::fill_in(environment);
    program.policy_seed = environment.seed;
  }

  std::unique_ptr<programs::SwitchProgram> make_program(const ProgramUse& use) const override;
  DataPlane data_plane() const override;
  std::uint64_t aggregators(std::uint64_t) const override { return worker.addressing.aggregators; }

  bool operator==(const Dsa&) const = default;
};

}  // namespace ina::systems
