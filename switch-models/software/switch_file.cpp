// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/switch_file.hpp"

#include <optional>

#include "switch-models/programs/make_program.hpp"
#include "switch-models/software/neighbourhood.hpp"

namespace ina::software {

using programs::SwitchProgram;

std::unique_ptr<SwitchProgram> make_program(const cluster::Spec& cluster,
                                            const systems::SwitchHalf& system,
                                            cluster::SwitchIndex at, unsigned part) {
  if (!cluster.control().may_add_up(at)) return programs::make_forwarding();
  return system.make_program({.jobs = cluster.environment.jobs,
                              .carried_values = cluster.values_per_packet(),
                              .part = part});
}

SwitchParts make_switch(const cluster::Spec& cluster, const systems::SwitchHalf& system,
                        cluster::SwitchIndex at, const std::vector<Peer>& peers, unsigned parts) {
  const Neighbourhood around(cluster, system, at, peers);
  const SharedLinks::Config config{cluster.buffer_bytes, cluster.environment.ecn_threshold_bytes};
  const auto links = std::make_shared<SharedLinks>(config, parts);
  SwitchParts made;
  for (unsigned part = 0; part < parts; ++part) {
    made.push_back(
        std::make_unique<SoftwareSwitch>(links, make_program(cluster, system, at, part)));
    around.add_ports(*made.back());
    around.install_jobs(*made.back());
  }
  for (const cluster::LinkFaultsSpec& faults : cluster.link_faults) {
    const std::optional<PortIndex> port = around.port_struck(faults);
    if (port) links->add_faults(*port, faults.direction, faults.faults, faults.seed);
  }
  return made;
}

}  // namespace ina::software
