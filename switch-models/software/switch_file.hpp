// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "hw/cluster/spec/spec.hpp"
#include "switch-models/software/peer.hpp"
#include "switch-models/software/software_switch.hpp"
#include "switch-models/systems/all.hpp"

namespace ina::software {

/// The parts of a switch, one per core.
using SwitchParts = std::vector<std::unique_ptr<SoftwareSwitch>>;

/// Makes switch `at` of a cluster, with one port per peer in the order of `peers`, the faults of
/// its links, and all jobs whose frames may pass through it. If a link joins two switches, the
/// upper one applies the link's faults. Throws ina::processes::InputError.
SwitchParts make_switch(const cluster::Spec& cluster, const systems::SwitchHalf& system,
                        cluster::SwitchIndex at, const std::vector<Peer>& peers, unsigned parts);

/// Makes the program of one part of the switch, without any job installed. If no job's gradients
/// are added up at this switch, the program only forwards.
std::unique_ptr<programs::SwitchProgram> make_program(const cluster::Spec& cluster,
                                                      const systems::SwitchHalf& system,
                                                      cluster::SwitchIndex at, unsigned part);

}  // namespace ina::software
