// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "hw/cluster/control/control_plane.hpp"
#include "hw/cluster/spec/spec.hpp"
#include "switch-models/software/peer.hpp"
#include "switch-models/software/software_switch.hpp"
#include "switch-models/systems/switch_half.hpp"

namespace ina::software {

/// The part of a cluster that one switch must know: its links, its routes to the hosts, and the
/// jobs whose frames may pass through it.
class Neighbourhood {
 public:
  /// `system`: the system that the cluster runs; `peers`: peer of each port, in the order of the
  /// ports. All must outlive this. Throws processes::InputError if the switch has no link to one of
  /// the peers, or no port that leads to a job's host.
  Neighbourhood(const cluster::Spec& cluster, const systems::SwitchHalf& system,
                cluster::SwitchIndex at, const std::vector<Peer>& peers);

  cluster::SwitchIndex at() const { return at_; }
  void add_ports(SoftwareSwitch& software_switch) const;
  /// Installs the jobs with which a run begins. If paths are chosen per flow, it also installs the
  /// ids of all future sessions. The messages of a new session tell its id only to the switches
  /// that they pass, and they do not pass every switch then.
  void install_jobs(SoftwareSwitch& software_switch) const;
  /// Installs a job of the cluster if its frames may pass the switch.
  void install_job(SoftwareSwitch& software_switch, const cluster::Registration& job) const;

  /// The port of the link that has these faults; empty if another switch applies them. Throws
  /// processes::InputError if this switch must apply them but has no port to that link.
  std::optional<PortIndex> port_struck(const cluster::LinkFaultsSpec& faults) const;

 private:
  void add_trunks();
  void add_ways();
  void check() const;
  PortIndex port_to(const Peer& peer) const;
  std::optional<PortIndex> find_port(const Peer& peer) const;

  const cluster::Spec& cluster_;
  const systems::SwitchHalf& system_;
  cluster::SwitchIndex at_;
  const std::vector<Peer>& peers_;
  cluster::ControlPlane::Config config_;
  std::map<cluster::SwitchIndex, std::vector<HostId>> hosts_;    // hosts of jobs, by their switch
  std::map<cluster::TrunkIndex, PortIndex> trunks_;              // this switch's trunks that have a
                                                                 // port
  std::map<cluster::SwitchIndex, std::vector<PortIndex>> ways_;  // ports to the other switches in
                                                                 // hosts_
};

}  // namespace ina::software
