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

/// The surroundings of a switch of a cluster: its links, the routes to the hosts, and the jobs
/// whose frames may pass it.
class Neighbourhood {
 public:
  /// `system`: that of the cluster; `peers`: peers of the ports, in their order. All must outlive
  /// this. Throws processes::InputError if the switch has no such link, or lacks one towards a
  /// job's host.
  Neighbourhood(const cluster::Spec& cluster, const systems::SwitchHalf& system,
                cluster::SwitchIndex at, const std::vector<Peer>& peers);

  cluster::SwitchIndex at() const { return at_; }
  void add_ports(SoftwareSwitch& software_switch) const;
  /// Installs the jobs for the beginning of a run. If switches only forward and flows take paths of
  /// their own, installs the ids of all future sessions, because no message announces a new one to
  /// every switch.
  void install_jobs(SoftwareSwitch& software_switch) const;
  /// Installs a job of the cluster if its frames may pass the switch.
  void install_job(SoftwareSwitch& software_switch, const cluster::Registration& job) const;

  /// The port of the link with these faults; nothing if the link is another switch's. Throws
  /// processes::InputError if it is this switch's, and no port leads there.
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
  std::map<cluster::TrunkIndex, PortIndex> trunks_;              // those of this switch that have a
                                                                 // port
  std::map<cluster::SwitchIndex, std::vector<PortIndex>> ways_;  // ports to the other switches in
                                                                 // hosts_
};

}  // namespace ina::software
