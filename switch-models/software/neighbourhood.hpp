// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "hw/cluster/spec.hpp"
#include "switch-models/software/peer.hpp"
#include "switch-models/software/software_switch.hpp"
#include "switch-models/systems/switch_half.hpp"

namespace ina::software {

/// What is around the switch of a rack: its links, the hosts behind each of them, and the jobs with
/// workers under it.
class Neighbourhood {
 public:
  /// `system`: of the cluster; `peers`: what its ports lead to, in their order. All must outlive
  /// it. Throws endpoints::InputError if it has no such link, or if none leads to a job's host.
  Neighbourhood(const cluster::Spec& cluster, const systems::SwitchHalf& system, std::uint16_t rack,
                const std::vector<Peer>& peers);

  void add_ports(SoftwareSwitch& software_switch) const;
  void install_jobs(SoftwareSwitch& software_switch) const;
  /// A job of the cluster, under an id that packets have.
  void install_job(SoftwareSwitch& software_switch, JobId job, JobId id) const;

  /// The port of the link that faults strike; nothing if the link is another switch's. Throws
  /// endpoints::InputError if it is this one's, and no port leads there.
  std::optional<PortIndex> port_struck(const cluster::LinkFaultsSpec& faults) const;

 private:
  bool is_above() const { return rack_ == cluster_.racks.of_servers(); }
  void check() const;
  void check_way_to(HostId host, std::uint16_t rack) const;
  std::vector<HostId> hosts_behind(std::uint16_t rack) const;
  std::vector<HostId> workers_under(const cluster::JobSpec& job) const;

  const cluster::Spec& cluster_;
  const systems::SwitchHalf& system_;
  std::uint16_t rack_;
  const std::vector<Peer>& peers_;
  std::map<HostId, std::uint16_t> rack_of_host_;
};

}  // namespace ina::software
