// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "hw/cluster/spec/spec.hpp"
#include "switch-models/software/peer.hpp"
#include "switch-models/software/software_switch.hpp"
#include "switch-models/systems/all.hpp"

namespace ina::software {

/// The parts of a switch, one for each core.
using SwitchParts = std::vector<std::unique_ptr<SoftwareSwitch>>;

/// One of the switches that the content of a cluster file describes, with ports to `peers` in their
/// order, the faults of their links and all jobs whose frames may pass it. The faults of the link
/// between two switches are the upper one's. Throws ina::processes::InputError.
SwitchParts make_switch(const cluster::Spec& cluster, const systems::SwitchHalf& system,
                        cluster::SwitchIndex at, const std::vector<Peer>& peers, unsigned parts);

/// The program of one of its parts, which knows no job yet. Where no job may be added up it only
/// forwards.
std::unique_ptr<programs::SwitchProgram> make_program(const cluster::Spec& cluster,
                                                      const systems::SwitchHalf& system,
                                                      cluster::SwitchIndex at, unsigned part);

}  // namespace ina::software
