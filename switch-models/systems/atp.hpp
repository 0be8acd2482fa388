// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "hw/cluster/systems/atp.hpp"
#include "switch-models/programs/make_program.hpp"
#include "switch-models/systems/switch_half.hpp"

namespace ina::systems {

class Atp final : public cluster::Atp, public SwitchHalf {
 public:
  programs::AtpConfig program;
  std::optional<Time> aggregator_expiry;

  template <class Visitor, class Self>
  static void visit(Visitor& visitor, Self& self) {
    cluster::Atp::visit(visitor, self);
    visitor.time("aggregator_expiry", self.aggregator_expiry, fields::kTimeout,
                 "Time without packets of its own task after which a passing result (parameter "
                 "packet) of another task frees an aggregator. Default: 100ms, or three unloaded "
                 "round trips if these are longer");
  }

  void fill_in(const cluster::Environment& environment) override {
    cluster::Atp::fill_in(environment);
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

  bool operator==(const Atp&) const = default;
};

}  // namespace ina::systems
