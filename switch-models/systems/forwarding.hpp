// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "switch-models/programs/make_program.hpp"
#include "switch-models/systems/switch_half.hpp"

namespace ina::systems {

/// A system that runs only on hosts: its switches only forward. `Hosts`: the system's host-side
/// half.
template <class Hosts>
class Forwarding : public Hosts, public SwitchHalf {
 public:
  std::unique_ptr<programs::SwitchProgram> make_program(const ProgramUse&) const override {
    return programs::make_forwarding();
  }
  DataPlane data_plane() const override {
    const Outcome forwarded{"is forwarded", rmt::kForward};
    return {.name = std::string(Hosts::kTraits.name),
            .declare = [](std::size_t) { return rmt::Declaration(); },
            .aggregator_bytes = aggregator_bytes(),
            .values = this->values_per_packet(),
            .frame_bytes = this->frame_bytes(),
            .absorbed = forwarded,
            .completing = forwarded,
            .others = {},
            .result_at_leaf = {}};
  }
  std::uint64_t aggregators(std::uint64_t) const override { return 0; }

  bool operator==(const Forwarding&) const = default;
};

}  // namespace ina::systems
