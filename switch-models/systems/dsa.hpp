// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "hw/cluster/systems/dsa.hpp"
#include "switch-models/policies/visit_policy.hpp"
#include "switch-models/programs/make_program.hpp"
#include "switch-models/systems/switch_half.hpp"

namespace ina::systems {

class Dsa final : public cluster::Dsa, public SwitchHalf {
 public:
  programs::DsaConfig program;
  std::optional<Time> aggregator_expiry;

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& self) {
    policies::visit_policy(visitor, "policy", self.program.policy,
                           "Policy that decides which task keeps an aggregator on a collision");
    cluster::Dsa::visit(visitor, self);
    visitor.choice(
        "join_priority", self.program.join_priority,
        fields::names_in_order<programs::JoinPriority>(programs::kJoinPriorityNames),
        "Effect of a packet that is added up in its task's aggregator on the aggregator's "
        "priority, which collisions have halved: keep it, or raise it to the packet's own");
    visitor.choice(
        "answered_by", self.program.answered_by,
        fields::names_in_order<programs::AnsweredBy>(programs::kAnsweredByNames),
        "Node that answers the workers when a switch has added up all of a task: the switch at "
        "once, as in the paper, or the parameter server, to which the sum goes, as in ATP");
    visitor.time("aggregator_expiry", self.aggregator_expiry, fields::kTimeout,
                 "Age from which a packet of another task takes an aggregator, with fcfs and "
                 "priority-without-downgrade, under which collisions need not free it; by default "
                 "100ms, or three unloaded round trips if these are longer");
  }

  void fill_in(const cluster::Environment& environment) override {
    cluster::Dsa::fill_in(environment);
    program.policy_seed = environment.seed;
    aggregator_expiry = aggregator_expiry.value_or(
        environment.safe_timeout(programs::kAggregatorExpiry, frame_bytes()));
    program.aggregator_expiry = *aggregator_expiry;
  }

  std::unique_ptr<programs::SwitchProgram> make_program(const ProgramUse& use) const override;
  DataPlane data_plane() const override;
  std::uint64_t aggregators(std::uint64_t) const override { return worker.addressing.aggregators; }

  bool operator==(const Dsa&) const = default;

 protected:
  /// If the server answers the workers, results take the same path as in ATP.
  Path path_of_results(const cluster::Environment& environment) const override {
    if (program.answered_by == programs::AnsweredBy::network_switch) {
      return cluster::Dsa::path_of_results(environment);
    }
    return {environment.to_server_and_back, environment.ecn_threshold_bytes};
  }
};

}  // namespace ina::systems
