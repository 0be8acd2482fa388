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

/// One of the switches that the content of a cluster file describes, with ports to `peers` in their
/// order, the faults of their links, and all jobs whose frames may pass it. The upper switch of a
/// link between two switches has its faults. Throws ina::processes::InputError.
SwitchParts make_switch(const cluster::Spec& cluster, const systems::SwitchHalf& system,
                        cluster::SwitchIndex at, const std::vector<Peer>& peers, unsigned parts);

/// The program of one part of the switch. It knows no job yet. If the switch adds for no job, the
/// program only forwards.
std::unique_ptr<programs::SwitchProgram> make_program(const cluster::Spec& cluster,
                                                      const systems::SwitchHalf& system,
                                                      cluster::SwitchIndex at, unsigned part);

}  // namespace ina::software
