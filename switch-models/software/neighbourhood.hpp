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

/// What is around a switch of a cluster: its links, the ways to the hosts, and the jobs whose
/// frames may pass it.
class Neighbourhood {
 public:
  /// `system`: of the cluster; `peers`: what its ports lead to, in their order. All must outlive
  /// it. Throws processes::InputError if it has no such link, or lacks one towards a job's host.
  Neighbourhood(const cluster::Spec& cluster, const systems::SwitchHalf& system,
                cluster::SwitchIndex at, const std::vector<Peer>& peers);

  cluster::SwitchIndex at() const { return at_; }
  void add_ports(SoftwareSwitch& software_switch) const;
  /// As a run begins. Where switches only forward and frames take paths of their own, with the ids
  /// of all sessions to come: no message tells every switch of a new one.
  void install_jobs(SoftwareSwitch& software_switch) const;
  /// A job of the cluster, if its frames may pass.
  void install_job(SoftwareSwitch& software_switch, const cluster::Registration& job) const;

  /// The port of the link that faults strike; nothing if the link is another switch's. Throws
  /// processes::InputError if it is this one's, and no port leads there.
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
  std::map<cluster::SwitchIndex, std::vector<HostId>> hosts_;    // of jobs, by the switch of each
  std::map<cluster::TrunkIndex, PortIndex> trunks_;              // of this switch that have a port
  std::map<cluster::SwitchIndex, std::vector<PortIndex>> ways_;  // to those of hosts_, if elsewhere
};

}  // namespace ina::software
