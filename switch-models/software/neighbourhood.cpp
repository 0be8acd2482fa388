// SPDX-License-Identifier: BSD-3-Clause
#include "switch-models/software/neighbourhood.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "hw/cluster/network/paths.hpp"
#include "hw/processes/input_error.hpp"
#include "hw/processes/registrars.hpp"
#include "switch-models/systems/job_place.hpp"

namespace ina::software {

using cluster::SwitchIndex;
using cluster::Topology;
using cluster::TrunkIndex;

namespace {

/// Name of a peer, as in --port.
std::string name_of(const Peer& peer, const Topology& topology) {
  return peer.is_switch ? topology.switches[peer.number].name : std::to_string(peer.number);
}

}  // namespace

Neighbourhood::Neighbourhood(const cluster::Spec& cluster, const systems::SwitchHalf& system,
                             SwitchIndex at, const std::vector<Peer>& peers)
    : cluster_(cluster), system_(system), at_(at), peers_(peers), config_(cluster.control()) {
  const auto add_host = [this](HostId host) {
    hosts_[cluster_.topology.switch_of[host]].push_back(host);
  };
  for (const cluster::JobSpec& job : cluster.jobs) {
    std::ranges::for_each(job.workers, add_host);
    if (cluster.has_servers()) std::ranges::for_each(job.servers, add_host);
  }
  check();
  add_trunks();
  add_ways();
}

void Neighbourhood::add_ports(SoftwareSwitch& software_switch) const {
  for (const Peer& peer : peers_) {
    if (peer.is_switch) {
      software_switch.add_trunk({});
    } else {
      software_switch.add_port(peer.number);
    }
  }
  for (const auto& [to, ports] : ways_) software_switch.set_routes(hosts_.at(to), ports);
  software_switch.set_path_choice(config_.path_choice, cluster_.topology.switches[at_].height);
}

void Neighbourhood::install_jobs(SoftwareSwitch& software_switch) const {
  for (cluster::Registration job : cluster_.registrations()) {
    if (!job.by_flow) {
      install_job(software_switch, job);
      continue;
    }
    const registration::IdPool ids = processes::ids_of(cluster_, job.job);
    for (std::uint16_t position = 0; position < ids.count(); ++position) {
      job.id = ids.at(position);
      install_job(software_switch, job);
    }
  }
}

void Neighbourhood::install_job(SoftwareSwitch& software_switch,
                                const cluster::Registration& job) const {
  if (!config_.may_pass(job, at_)) return;
  systems::JobPlace place = systems::place_of(job, at_);
  place.members.ports = systems::ports_of(
      job, at_, trunks_, [this](HostId host) { return port_to(Peer::host(host)); });
  const programs::JobEntry entry =
      system_.job_entry(job.job, place.contributions, place.members.servers);
  software_switch.install_job(job.id, place.complete(entry), place.members);
}

std::optional<PortIndex> Neighbourhood::port_struck(const cluster::LinkFaultsSpec& faults) const {
  const Topology& topology = cluster_.topology;
  if (faults.host) {
    if (topology.switch_of[*faults.host] != at_) return std::nullopt;
    return port_to(Peer::host(*faults.host));
  }
  const Topology::Trunk& trunk = topology.trunks[*faults.trunk];
  if (trunk.upper != at_) return std::nullopt;
  return port_to(Peer::of_switch(trunk.lower));
}

void Neighbourhood::check() const {
  const Topology& topology = cluster_.topology;
  for (const Peer& peer : peers_) {
    const bool is_own =
        peer.is_switch
            ? std::ranges::any_of(topology.trunks,
                                  [&](const Topology::Trunk& trunk) {
                                    return trunk.ends_at(at_) &&
                                           trunk.other_end(at_) == peer.number;
                                  })
            : peer.number >= topology.switch_of.size() || topology.switch_of[peer.number] == at_;
    if (is_own) continue;
    throw processes::InputError(
        fmt::format("--port {}: no link of {}; allowed: its hosts, and switches to which a trunk "
                    "leads",
                    name_of(peer, topology), topology.switches[at_].name));
  }
  if (!hosts_.contains(at_)) return;
  for (const HostId host : hosts_.at(at_)) port_to(Peer::host(host));
}

void Neighbourhood::add_trunks() {
  for (TrunkIndex trunk = 0; trunk < cluster_.topology.trunks.size(); ++trunk) {
    const Topology::Trunk& link = cluster_.topology.trunks[trunk];
    if (!link.ends_at(at_)) continue;
    if (const auto port = find_port(Peer::of_switch(link.other_end(at_)))) trunks_[trunk] = *port;
  }
}

void Neighbourhood::add_ways() {
  const cluster::LiveTrunks trunks(cluster_.topology);
  for (const auto& [to, hosts] : hosts_) {
    const cluster::ShortestPaths paths(cluster_.topology, trunks, to);
    for (const TrunkIndex trunk : paths.ways(at_)) {
      const SwitchIndex next = cluster_.topology.trunks[trunk].other_end(at_);
      ways_[to].push_back(port_to(Peer::of_switch(next)));
    }
  }
}

PortIndex Neighbourhood::port_to(const Peer& peer) const {
  if (const auto port = find_port(peer)) return *port;
  const std::string name = name_of(peer, cluster_.topology);
  throw processes::InputError(fmt::format("--port: none to {}{}; allowed: one more, {}=DEVICE",
                                          peer.is_switch ? "" : "host ", name, name));
}

std::optional<PortIndex> Neighbourhood::find_port(const Peer& peer) const {
  const auto found = std::ranges::find(peers_, peer);
  if (found == peers_.end()) return std::nullopt;
  return static_cast<PortIndex>(found - peers_.begin());
}

}  // namespace ina::software
