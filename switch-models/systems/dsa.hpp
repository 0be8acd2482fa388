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
    visitor.choice("join_priority", self.program.join_priority,
                   fields::names_in_order<programs::JoinPriority>(programs::kJoinPriorityNames),
                   "Effect on an aggregator's priority when a packet of its own task is added, "
                   "since collisions may have halved this priority. keep: none. raise: the "
                   "priority rises to that of the packet, if that is higher");
    visitor.choice("answered_by", self.program.answered_by,
                   fields::names_in_order<programs::AnsweredBy>(programs::kAnsweredByNames),
                   "Node that sends the result when a switch has completed the sum of a task. "
                   "switch: the switch at once, as in the paper. server: the parameter server, to "
                   "which the switch sends the sum, as in ATP");
    visitor.time("aggregator_expiry", self.aggregator_expiry, fields::kTimeout,
                 "Time without packets of its own task after which an aggregator may be taken by a "
                 "packet of another task. Only with the policies fcfs and "
                 "priority-without-downgrade, under which collisions alone may never free an "
                 "aggregator. Default: 100ms, or three unloaded round trips if these are longer");
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
  std::uint64_t aggregator_bytes() const override {
    return sizeof(std::int32_t) * std::uint64_t{values_per_packet()};
  }
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
