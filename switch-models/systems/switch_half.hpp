// SPDX-License-Identifier: BSD-3-Clause
// Interface of the switch-side half of a system such as ATP. The host-side half is in
// hw/cluster/systems. Each system has its own file; all.hpp lists all systems.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "hw/protocol/wire/frame.hpp"
#include "switch-models/programs/make_program.hpp"
#include "switch-models/programs/switch_program.hpp"
#include "switch-models/systems/data_plane.hpp"

namespace ina::systems {

/// Arguments of SwitchHalf::make_program().
struct ProgramUse {
  std::uint32_t jobs = 1;          ///< maximum number of jobs that share the switch
  std::size_t carried_values = 0;  ///< per packet; simulated packets may carry fewer than real ones
  unsigned part = 0;               ///< index of the part of the switch (one per core); each part
                                   ///< has its own random numbers
  programs::RunMode run = {};
};

/// The settings of a system's switches, and functions that make objects from them.
///
/// Like a host-side half, each system also has the function
///   template <class Visitor, class Self> static void visit(Visitor&, Self&);
/// which visits all keys that a scenario may have for the system, including those of the host-side
/// half.
class SwitchHalf {
 public:
  virtual ~SwitchHalf() = default;

  virtual std::unique_ptr<programs::SwitchProgram> make_program(const ProgramUse& use) const = 0;
  /// Entry that the control plane installs at a switch for a job. `number`: index of the job among
  /// those that share the switch; `workers`: number of contributions per task at the switch.
  virtual programs::JobEntry job_entry(std::uint32_t /* number */, std::uint16_t workers,
                                       const wire::JobServers& servers) const {
    return {workers, servers};
  }
  virtual DataPlane data_plane() const = 0;
  /// Bytes of switch memory for the values of one aggregator, or of a slot with its shadow copy. By
  /// default, those of ATP and DSA with 62 values.
  virtual std::uint64_t aggregator_bytes() const {
    return sizeof(std::int32_t) * wire::kFragmentValues;
  }
  /// Number of aggregators that a switch has if that many jobs share it. A slot and its shadow copy
  /// count as one.
  virtual std::uint64_t aggregators(std::uint64_t jobs) const = 0;

  bool operator==(const SwitchHalf&) const = default;
};

}  // namespace ina::systems
