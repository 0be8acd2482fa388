// SPDX-License-Identifier: BSD-3-Clause
// The half of a system of in-network aggregation that runs on switches, behind one interface; the
// half on hosts stands in hw/cluster/systems. One file a system, and all of them in all.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "hw/protocol/wire/frame.hpp"
#include "switch-models/programs/switch_program.hpp"
#include "switch-models/systems/data_plane.hpp"

namespace ina::systems {

/// What a program is made for.
struct ProgramUse {
  std::uint32_t jobs = 1;          ///< that share the switch at most
  std::size_t carried_values = 0;  ///< by a packet; simulated ones may carry fewer than they have
  unsigned part = 0;               ///< of a switch of several that draw, each for itself
  bool checked = false;            ///< whether the program's passes are checked (rmt::Checked)
};

/// The settings of a system's switches, and what it makes of them.
///
/// A system of its own has in addition, as hosts' halves do,
///   template <class Visitor, class Self> static void visit(Visitor&, Self&);
/// which visits all keys that a scenario may have for it, those of its half on hosts too.
class SwitchHalf {
 public:
  virtual ~SwitchHalf() = default;

  virtual std::unique_ptr<programs::SwitchProgram> make_program(const ProgramUse& use) const = 0;
  /// What the control plane installs at a switch for the job that is `number` of those that
  /// share it and has so many workers there.
  virtual programs::JobEntry job_entry(std::uint32_t /* number */, std::uint16_t workers,
                                       const wire::JobServers& servers) const {
    return {workers, servers};
  }
  virtual DataPlane data_plane() const = 0;
  /// Bytes of switch memory that hold the values of one aggregator; of a slot with its shadow copy.
  /// Those of one fragment, unless a system says otherwise.
  virtual std::uint64_t aggregator_bytes() const {
    return sizeof(std::int32_t) * wire::kFragmentValues;
  }
  /// That a switch has for so many jobs; slots with their shadow copies count once.
  virtual std::uint64_t aggregators(std::uint64_t jobs) const = 0;

  bool operator==(const SwitchHalf&) const = default;
};

}  // namespace ina::systems
