// SPDX-License-Identifier: BSD-3-Clause
// The switch-side half of a system of in-network aggregation, behind one interface. The host-side
// half is in hw/cluster/systems. Each system has one file; all.hpp has all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "hw/protocol/wire/frame.hpp"
#include "switch-models/programs/switch_program.hpp"
#include "switch-models/systems/data_plane.hpp"

namespace ina::systems {

/// Parameters of making a program.
struct ProgramUse {
  std::uint32_t jobs = 1;          ///< maximum number of jobs that share the switch
  std::size_t carried_values = 0;  ///< per packet; simulated packets may carry fewer than they have
  unsigned part = 0;               ///< part of a switch that is made of several; each draws for
                                   ///< itself
  bool checked = false;            ///< whether the program's passes are checked (rmt::Checked)
};

/// The settings of a system's switches, and the objects made from them.
///
/// In addition, each system has, like the host-side halves,
///   template <class Visitor, class Self> static void visit(Visitor&, Self&);
/// which visits all keys that a scenario may have for the system, including those of the host-side
/// half.
class SwitchHalf {
 public:
  virtual ~SwitchHalf() = default;

  virtual std::unique_ptr<programs::SwitchProgram> make_program(const ProgramUse& use) const = 0;
  /// Entry that the control plane installs at a switch for a job. The job is the `number`-th of
  /// those that share the switch, and has `workers` workers there.
  virtual programs::JobEntry job_entry(std::uint32_t /* number */, std::uint16_t workers,
                                       const wire::JobServers& servers) const {
    return {workers, servers};
  }
  virtual DataPlane data_plane() const = 0;
  /// Bytes of switch memory for the values of one aggregator, or of a slot with its shadow copy. By
  /// default the values of one fragment.
  virtual std::uint64_t aggregator_bytes() const {
    return sizeof(std::int32_t) * wire::kFragmentValues;
  }
  /// Number of aggregators of a switch with that many jobs. A slot with its shadow copy counts
  /// once.
  virtual std::uint64_t aggregators(std::uint64_t jobs) const = 0;

  bool operator==(const SwitchHalf&) const = default;
};

}  // namespace ina::systems
