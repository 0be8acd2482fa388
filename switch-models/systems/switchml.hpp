// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/cluster/systems/switchml.hpp"
#include "switch-models/systems/switch_half.hpp"

namespace ina::systems {

class Switchml final : public cluster::Switchml, public SwitchHalf {
 public:
  std::unique_ptr<programs::SwitchProgram> make_program(const ProgramUse& use) const override;
  programs::JobEntry job_entry(std::uint32_t number, std::uint16_t workers,
                               const wire::JobServers& servers) const override {
    return {workers, servers, number * *slots, *slots};
  }
  DataPlane data_plane() const override;
  std::uint64_t aggregator_bytes() const override {
    return 2 * sizeof(std::int32_t) * std::uint64_t{values};
  }
  std::uint64_t aggregators(std::uint64_t jobs) const override { return jobs * *slots; }

  bool operator==(const Switchml&) const = default;
};

}  // namespace ina::systems
