// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/neighbourhood.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "hw/dpdk/endpoints/input_error.hpp"

namespace ina::software {

Neighbourhood::Neighbourhood(const cluster::Spec& cluster, const systems::SwitchHalf& system,
                             std::uint16_t rack, const std::vector<Peer>& peers)
    : cluster_(cluster), system_(system), rack_(rack), peers_(peers) {
  for (const cluster::JobSpec& job : cluster.jobs) {
    for (std::size_t rank = 0; rank < job.workers.size(); ++rank) {
      rack_of_host_[job.workers[rank]] = job.racks[rank];
    }
    if (cluster.has_servers()) rack_of_host_[job.server] = cluster.racks.of_servers();
  }
  check();
}

void Neighbourhood::add_ports(SoftwareSwitch& software_switch) const {
  for (const Peer& peer : peers_) {
    if (peer.is_switch) {
      software_switch.add_trunk(hosts_behind(peer.number));
    } else {
      software_switch.add_port(peer.number);
    }
  }
}

void Neighbourhood::install_jobs(SoftwareSwitch& software_switch) const {
  for (const cluster::JobSpec& job : cluster_.jobs) install_job(software_switch, job.id, job.id);
}

void Neighbourhood::install_job(SoftwareSwitch& software_switch, JobId number, JobId id) const {
  const cluster::JobSpec& job = cluster_.jobs[number];
  const HostId server = cluster_.has_servers() ? job.server : programs::MemberTable::kNobody;
  const JobMembers members{job.workers, server, cluster_.paths(job), workers_under(job)};
  if (members.group.empty()) return;  // unknown here
  const auto workers = static_cast<std::uint16_t>(members.group.size());
  programs::JobEntry entry = system_.job_entry(number, workers, job.server);
  programs::place_in_tree(entry, job.racks, cluster_.racks.of_servers(), rack_);
  software_switch.install_job(id, entry, members);
}

std::optional<PortIndex> Neighbourhood::port_struck(const cluster::LinkFaultsSpec& faults) const {
  if (faults.rack ? !is_above() : rack_of_host_.at(*faults.host) != rack_) return std::nullopt;
  const Peer struck = faults.rack ? Peer::rack(*faults.rack) : Peer::host(*faults.host);
  const auto found = std::ranges::find(peers_, struck);
  if (found != peers_.end()) return static_cast<PortIndex>(found - peers_.begin());
  throw endpoints::InputError(
      fmt::format("--port: none to {}{}; allowed: one to each link that faults strike",
                  struck.is_switch ? "rack" : "host ", struck.number));
}

void Neighbourhood::check() const {
  const int last = cluster_.racks.of_servers();
  if (rack_ > last) {
    throw endpoints::InputError(
        fmt::format("--rack {}; allowed: 0 to {}, of the cluster's racks", rack_, last));
  }
  for (const Peer& peer : peers_) {
    const bool is_next = is_above() ? peer.number < last : peer.number == last;
    if (!peer.is_switch || is_next) continue;
    throw endpoints::InputError(
        fmt::format("--port rack{}: no link of rack {}'s switch; allowed: {}", peer.number, rack_,
                    is_above() ? "the racks before this one" : fmt::format("rack{}", last)));
  }
  for (const auto& [host, rack] : rack_of_host_) check_way_to(host, rack);
}

void Neighbourhood::check_way_to(HostId host, std::uint16_t rack) const {
  const std::uint16_t next = is_above() ? rack : cluster_.racks.of_servers();
  const Peer peer = rack == rack_ ? Peer::host(host) : Peer::rack(next);
  if (std::ranges::find(peers_, peer) != peers_.end()) return;
  throw endpoints::InputError(fmt::format("--port: none to host {}; allowed: one more, {}{}=DEVICE",
                                          host, peer.is_switch ? "rack" : "", peer.number));
}

std::vector<HostId> Neighbourhood::hosts_behind(std::uint16_t rack) const {
  std::vector<HostId> hosts;
  for (const auto& [host, of] : rack_of_host_) {
    if (is_above() ? of == rack : of != rack_) hosts.push_back(host);
  }
  return hosts;
}

/// To the switch above come the frames of all.
std::vector<HostId> Neighbourhood::workers_under(const cluster::JobSpec& job) const {
  if (is_above()) return job.workers;
  std::vector<HostId> workers;
  for (std::size_t rank = 0; rank < job.workers.size(); ++rank) {
    if (job.racks[rank] == rack_) workers.push_back(job.workers[rank]);
  }
  return workers;
}

}  // namespace ina::software
