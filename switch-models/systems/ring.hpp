// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hw/cluster/systems/ring.hpp"
#include "switch-models/systems/switch_half.hpp"

namespace ina::systems {

/// Its switches forward, as those of a plain parameter server do.
class Ring final : public cluster::Ring, public SwitchHalf {
 public:
  std::unique_ptr<programs::SwitchProgram> make_program(const ProgramUse& use) const override;
  DataPlane data_plane() const override;
  std::uint64_t aggregators(std::uint64_t) const override { return 0; }

  bool operator==(const Ring&) const = default;
};

}  // namespace ina::systems
